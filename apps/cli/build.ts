/**
 * `npm run build`: dist/ as others install it: one file that runs on Node 20 and later, without dependencies. `npm pack dist`
 * makes the package of it.
 */
import { build } from "esbuild";
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const here = import.meta.dirname;
const target = process.argv[2] ?? join(here, "dist");
const { version, description, license } = JSON.parse(await readFile(join(here, "package.json"), "utf8")) as Record<
  string,
  string
>;

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await build({
  entryPoints: [join(here, "src/main.ts")],
  outfile: join(target, "switchyard.js"),
  bundle: true,
  platform: "node",
  target: "node20",
  // Loads faster than a module, and asks for Node's own modules only where they are used.
  format: "cjs",
  minify: true,
  legalComments: "inline",
  banner: { js: "#!/usr/bin/env node" },
});
await chmod(join(target, "switchyard.js"), 0o755);
const published = {
  name: "switchyard",
  version,
  description,
  license,
  type: "commonjs",
  bin: { switchyard: "./switchyard.js" },
  files: ["switchyard.js"],
  engines: { node: ">=20" },
};
await writeFile(join(target, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
await copyFile(join(here, "../../LICENSE"), join(target, "LICENSE"));
await copyFile(join(here, "README.md"), join(target, "README.md"));
