import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./bundle.ts";

/** The fields of a published package.json, besides `engines` and those copied from the project: version, description and license. */
export interface Manifest {
  readonly name: string;
  readonly type: "module" | "commonjs";
  readonly [field: string]: unknown;
}

/** The minimum version of Node.js that packages support. */
const engines = { node: ">=20" };

/**
 * Writes a package to the folder `target`, from which `npm pack` creates the tarball. Empties the folder, calls `build`, and then adds
 * package.json, the README of the project, the license and the notices that `build` resolved with.
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
