import { open } from "node:fs/promises";
import { basename } from "node:path";
import type { DocumentSource } from "./documents.ts";
import { readInput, type Io } from "../terminal/io.ts";

/** A document with its bytes. */
export interface LoadedDocument {
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Reads a document, but not beyond the limit in bytes. Standard input gets a default name.
 * @throws Error if it is larger, or cannot be read
 */
export async function loadDocument(
  source: DocumentSource,
  io: Io,
  stdinName: string,
  maxBytes: number,
): Promise<LoadedDocument> {
  if (source.kind === "stdin") return { filename: stdinName, bytes: await collect(readInput(io), maxBytes) };
  const file = await open(source.path);
  try {
    return { filename: basename(source.path), bytes: await collect(file.createReadStream(), maxBytes) };
  } finally {
    await file.close();
  }
}

async function collect(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    size += bytes.length;
    if (size > maxBytes) throw new Error(`larger than the ${maxBytes / 1024 / 1024} MiB that the API accepts`);
    chunks.push(bytes);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
