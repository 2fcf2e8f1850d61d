import { build } from "esbuild";
import { join } from "node:path";
import { root } from "../processes.ts";

/** Bundles the client for browsers as a script that defines the global `switchyard`; returns the script. */
export async function buildBrowserBundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "libs/client/src/index.ts")],
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "switchyard",
    target: "es2022",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}
