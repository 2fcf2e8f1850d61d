import type { Client, ExportValuesRequest } from "@switchyard/client";
import type { Selection } from "./filters.ts";

/** The formats of exported values, with the ends of their filenames. */
export const formats = { CSV: "csv", JSONL: "jsonl", XLSX: "xlsx" } as const;

/** A format of exported values. */
export type Format = keyof typeof formats;

/** From this number of bytes on, a download is called large. */
export const largeBytes = 50_000_000;

/**
 * Downloads values completely. A link cannot do it, because a link has no bearer token. `onProgress` gets the number of bytes
 * so far. Throws the reason of the signal if it is aborted.
 */
export async function receiveValues(
  client: Client,
  selection: Selection,
  format: Format,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<Blob> {
  const request: ExportValuesRequest = { ...selection, format };
  const { headers, chunks } = await client.openCall("exportValues", request, { signal });
  const received: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    received.push(chunk);
    bytes += chunk.byteLength;
    onProgress(bytes);
  }
  return new Blob(received, { type: headers.get("content-type") ?? "" });
}

/** Returns the name of the file of exported values. */
export function toFilename(model: string, table: string | undefined, format: Format): string {
  const words = [model, table ?? ""].join(" ").toLowerCase();
  return `${words.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, "") || "values"}.${formats[format]}`;
}
