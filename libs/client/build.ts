/**
 * `npm run build`: dist/ as others install it: two entries for Node 20 and later and for browsers, with their types. `npm pack dist`
 * makes the package of it.
 */
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const here = import.meta.dirname;
const target = process.argv[2] ?? join(here, "dist");
const { name, version, description, license } = JSON.parse(
  await readFile(join(here, "package.json"), "utf8"),
) as Record<string, string>;

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await build({
  entryPoints: [join(here, "src/index.ts"), join(here, "src/node.ts")],
  outdir: target,
  bundle: true,
  platform: "neutral",
  external: ["node:*"],
  target: "es2022",
  format: "esm",
});
const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const declarations = [
  "--noEmit",
  "false",
  "--declaration",
  "--emitDeclarationOnly",
  "--rootDir",
  join(here, "src"),
  "--outDir",
  join(target, "types"),
];
execFileSync(process.execPath, [compiler, "-p", join(here, "tsconfig.build.json"), ...declarations], {
  stdio: "inherit",
});
const entry = (file: string) => ({ types: `./types/${file}.d.ts`, default: `./${file}.js` });
const published = {
  name,
  version,
  description,
  license,
  type: "module",
  sideEffects: false,
  exports: { ".": entry("index"), "./node": entry("node") },
  engines: { node: ">=20" },
};
await writeFile(join(target, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
await copyFile(join(here, "../../LICENSE"), join(target, "LICENSE"));
await copyFile(join(here, "README.md"), join(target, "README.md"));
