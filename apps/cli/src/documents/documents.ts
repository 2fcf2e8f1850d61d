import { readdir, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import picomatch from "picomatch";
import { UsageError } from "../terminal/exit-codes.ts";

/** A document to send: a file with its absolute path and the path to show, or standard input. */
export type DocumentSource =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly label: string;
      /** Whether the file was found in a folder, rather than named in an argument. */
      readonly inFolder: boolean;
    }
  | { readonly kind: "stdin"; readonly label: "-" };

/**
 * Collects the documents that arguments name, each once and in the order of the arguments: files; folders (recursively, sorted by name,
 * without hidden files); patterns such as `in/**\/*.pdf`, unless a file has that name; and "-" for standard input.
 * @throws UsageError if an argument matches nothing
 */
export async function collectDocuments(words: readonly string[], folder: string): Promise<readonly DocumentSource[]> {
  const found = new Map<string, DocumentSource>();
  for (const word of words) {
    if (word === "-") {
      found.set("-", { kind: "stdin", label: "-" });
      continue;
    }
    const inFolder = (await getKind(resolve(folder, word))) === "folder";
    for (const label of await listFiles(word, folder)) {
      const path = resolve(folder, label);
      const before = found.get(path);
      if (before?.kind !== "file") found.set(path, { kind: "file", path, label, inFolder });
      else if (!inFolder) found.set(path, { ...before, inFolder });
    }
  }
  return [...found.values()];
}

async function listFiles(word: string, folder: string): Promise<readonly string[]> {
  const kind = await getKind(resolve(folder, word));
  if (kind === "file") return [word];
  if (kind === "folder") return filesBelow(word, folder);
  if (kind === "other") throw new UsageError(`${word} is neither a file nor a folder`);
  const { base, glob, isGlob } = picomatch.scan(posix(word));
  if (!isGlob) throw new UsageError(`there is no file or folder ${word}`);
  const matches = picomatch(glob);
  // As the paths below it begin: `in` for `in/./*.pdf` and `in//*.pdf`, but the root stays `/`.
  const start = join(base, ".").replace(/(?<=.)[\\/]$/, "");
  const below = (await getKind(resolve(folder, start))) === "folder" ? await filesBelow(start, folder) : [];
  const prefix = start === "." ? "" : join(start, sep);
  const found = below.filter((path) => matches(posix(path.slice(prefix.length))));
  if (found.length === 0) throw new UsageError(`no file matches ${word}`);
  return found;
}

async function filesBelow(start: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(resolve(folder, start), { withFileTypes: true });
  const visible = entries.filter(({ name }) => !name.startsWith(".")).sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of visible) {
    const path = start === "." ? entry.name : join(start, entry.name);
    // Links to folders are not followed, because they may form a cycle.
    // As arguments of a single call, more than 100,000 files would overflow the stack.
    if (entry.isDirectory()) for (const below of await filesBelow(path, folder)) found.push(below);
    else if (entry.isFile() || (entry.isSymbolicLink() && (await getKind(resolve(folder, path))) === "file"))
      found.push(path);
  }
  return found;
}

async function getKind(path: string): Promise<"file" | "folder" | "other" | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A link that leads back to itself leads nowhere, like one whose target is missing.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
    throw error;
  }
}

function posix(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}
