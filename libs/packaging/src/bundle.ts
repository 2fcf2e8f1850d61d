import { build } from "esbuild";
import type { BuildOptions } from "esbuild";
import { join } from "node:path";
import { collectNotices } from "./notices.ts";

/** The root of the workspace. */
export const root = join(import.meta.dirname, "../../..");

/**
 * Bundles with these options of esbuild, and resolves with the licence notices of every package that went into the bundle, or
 * undefined when there is none. Paths in the options are absolute.
 */
export async function bundle(options: BuildOptions): Promise<string | undefined> {
  const { metafile } = await build({ ...options, bundle: true, metafile: true, absWorkingDir: root });
  return collectNotices(Object.keys(metafile.inputs), root);
}
