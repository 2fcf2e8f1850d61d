import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import type { FileInput } from "./files.ts";

/** A file of this machine, to be sent under its own name. It is read while it is sent, and must not change until then. */
export async function fileFromPath(path: string, filename = basename(path)): Promise<FileInput> {
  return { filename, data: await openAsBlob(path) };
}
