import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./bundle.ts";

/** What a published package.json says besides version, description, licence and engines, which come from the project's own. */
export interface Manifest {
  readonly name: string;
  readonly type: "module" | "commonjs";
  readonly [field: string]: unknown;
}

/** The smallest version of Node that packages run on. */
const engines = { node: ">=20" };

/**
 * Empties the folder `target` and lets `build` fill it; then adds package.json, the README of the project, the licence, and the
 * notices that `build` resolved with. `npm pack` makes the package of it.
 */
export async function writePackage(
  project: string,
  target: string,
  manifest: Manifest,
  build: () => Promise<string | undefined>,
): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const notices = await build();
  const own = JSON.parse(await readFile(join(project, "package.json"), "utf8")) as Record<string, string>;
  const { version, description, license } = own;
  const published = { ...manifest, version, description, license, engines };
  await writeFile(join(target, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
  await copyFile(join(root, "LICENSE"), join(target, "LICENSE"));
  await copyFile(join(project, "README.md"), join(target, "README.md"));
  if (notices !== undefined) await writeFile(join(target, "THIRD-PARTY-NOTICES"), notices);
}
