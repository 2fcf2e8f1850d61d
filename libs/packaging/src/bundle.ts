import { build } from "esbuild";
import type { BuildOptions } from "esbuild";
import { join } from "node:path";
import { collectNotices } from "./notices.ts";

/** The root of the workspace. */
export const root = join(import.meta.dirname, "../../..");

/**
 * Bundles with the given esbuild options, in which paths must be absolute. Resolves with the license notices of all packages in the
 * bundle, or with undefined if it contains none.
 */
export async function bundle(options: BuildOptions): Promise<string | undefined> {
  const { metafile } = await build({ ...options, bundle: true, metafile: true, absWorkingDir: root });
  return collectNotices(Object.keys(metafile.inputs), root);
}
