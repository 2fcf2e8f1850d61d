import { InvalidRequestError } from "./errors.ts";

/** Bytes that can be sent: whole, or as a stream, which is read to its end before anything is sent. */
export type FileData = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** A file to be sent. A `File` of a browser's form is one as it is: its name is read where no filename is given. */
export type FileInput = File | { readonly filename: string; readonly contentType?: string; readonly data: FileData };

/** A file that was received. */
export interface FileContent {
  /** As the server gives it; "" where it gives none. */
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file as a form has it: it can be sent more than once. */
export interface FilePart {
  readonly filename: string;
  readonly blob: Blob;
}

/**
 * The file as a part of a form. A stream is read to its end, but never further than the limit.
 * @throws InvalidRequestError when it is larger than the limit in bytes
 */
export async function toFilePart(file: FileInput, maxBytes: number): Promise<FilePart> {
  const { filename, type, data } =
    file instanceof Blob
      ? { filename: file.name, type: file.type, data: file }
      : { filename: file.filename, type: file.contentType ?? "", data: file.data };
  const blob =
    data instanceof Blob
      ? data
      : new Blob(data instanceof Uint8Array ? [data] : await collect(data, maxBytes), {
          type,
        });
  if (blob.size > maxBytes) throw tooLarge(maxBytes);
  return { filename, blob };
}

async function collect(
  stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of iterate(stream)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
  }
  return chunks;
}

/** Not every browser can iterate over a ReadableStream. */
async function* iterate(
  stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  if (!("getReader" in stream)) {
    yield* stream;
    return;
  }
  const reader = stream.getReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
  } finally {
    await reader.cancel();
  }
}

function tooLarge(maxBytes: number): InvalidRequestError {
  return new InvalidRequestError("file", `the file is larger than the ${maxBytes} bytes that the API takes`);
}

/** The filename of a Content-Disposition header; "" where it has none. */
export function parseFilename(contentDisposition: string | null): string {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(contentDisposition ?? "")?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="([^"]*)"/i.exec(contentDisposition ?? "")?.[1] ?? "";
}
