import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const legalFile = /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i;
const rule = "-".repeat(80);

/**
 * Collects the license notices of the packages that the files belong to, sorted by name. Each consists of the name, version and license
 * of the package and the text of all its license and notice files. Files outside of `node_modules` need no notice. Resolves with
 * undefined if there are no notices.
 *
 * @param files paths relative to `root`, separated by slashes, as the inputs of an esbuild metafile are
 * @throws Error when a package has no license file
 */
export async function collectNotices(files: readonly string[], root: string): Promise<string | undefined> {
  const folders = new Set(files.flatMap((file) => packageFolder.exec(file)?.[0] ?? []));
  if (folders.size === 0) return undefined;
  const notices = await Promise.all([...folders].map((folder) => readNotice(join(root, folder))));
  const introduction = "This package contains the following software, under the licenses that follow.\n";
  return [introduction, ...notices.sort()].join(`\n${rule}\n\n`);
}

async function readNotice(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license?: string;
  };
  const legal = (await readdir(folder)).filter((file) => legalFile.test(file)).sort();
  if (legal.length === 0) throw new Error(`${name} ${version} has no license file: it cannot be bundled.`);
  const texts = await Promise.all(legal.map((file) => readFile(join(folder, file), "utf8")));
  return [`${name} ${version} (${license ?? "see below"})`, ...texts.map((text) => text.trim())].join("\n\n") + "\n";
}
