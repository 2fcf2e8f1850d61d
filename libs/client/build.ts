/**
 * `npm run build`: dist/ as others install it: two entries for Node 20 and later and for browsers, with their types. `npm run
 * package` also makes the tarball.
 */
import { bundle, writePackage } from "@switchyard/packaging";
import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const here = import.meta.dirname;
const target = process.argv[2] ?? join(here, "dist");
const types = join(target, "types");

/** Writes the declarations. They import each other as the modules that they describe do, which every compiler understands. */
async function declare(): Promise<void> {
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const declarations = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
  const folders = ["--rootDir", join(here, "src"), "--outDir", types];
  const argv = [compiler, "-p", join(here, "tsconfig.build.json"), ...declarations, ...folders];
  execFileSync(process.execPath, argv, { stdio: "inherit" });
  for (const name of await readdir(types, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const text = await readFile(join(types, name), "utf8");
    await writeFile(join(types, name), text.replaceAll(/(?<=(?:from|import\() ?"\.[^"]*)\.ts(?=")/g, ".js"));
  }
}

const entry = (file: string) => ({ types: `./types/${file}.d.ts`, default: `./${file}.js` });
const manifest = {
  name: "@switchyard/client",
  type: "module",
  sideEffects: false,
  exports: { ".": entry("index"), "./node": entry("node") },
  files: ["*.js", "types", "THIRD-PARTY-NOTICES"],
} as const;

await writePackage(here, target, manifest, async () => {
  await declare();
  return bundle({
    entryPoints: [join(here, "src/index.ts"), join(here, "src/node.ts")],
    outdir: target,
    splitting: true,
    platform: "neutral",
    external: ["node:*"],
    target: "es2022",
    format: "esm",
  });
});
