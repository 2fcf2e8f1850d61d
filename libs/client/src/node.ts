import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import type { FileInput } from "./files.ts";

/** Opens a file of the file system for an upload, under its own name. It is read while it is sent, and must not change until then. */
export async function fileFromPath(path: string, filename = basename(path)): Promise<FileInput> {
  return { filename, data: await openAsBlob(path) };
}
