import { InvalidRequestError } from "./errors.ts";

/** The data of a file: bytes, or a stream, which is read completely before anything is sent. */
export type FileData = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** A file to upload. A browser's `File` is valid as it is. */
export type FileInput = File | { readonly filename: string; readonly contentType?: string; readonly data: FileData };

/** A downloaded file. */
export interface FileContent {
  /** The name of the file; "" if the server sends none. */
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file as a part of a form, which can be sent more than once. */
export interface FilePart {
  readonly filename: string;
  readonly blob: Blob;
}

/**
 * Converts a file to a part of a form. A stream is read completely, but not beyond the limit.
 * @throws InvalidRequestError if the file exceeds the limit in bytes
 */
export async function toFilePart(file: FileInput, maxBytes: number): Promise<FilePart> {
  const { filename, type, data } =
    file instanceof Blob
      ? { filename: file.name, type: file.type, data: file }
      : { filename: file.filename, type: file.contentType ?? "", data: file.data };
  const blob =
    data instanceof Blob
      ? withType(data, type)
      : new Blob(data instanceof Uint8Array ? [unshared(data)] : await collect(data, maxBytes), {
          type,
        });
  if (blob.size > maxBytes) throw tooLarge(maxBytes);
  return { filename, blob };
}

/** Returns the data of a blob with a content type, if one is given. */
function withType(data: Blob, type: string): Blob {
  return type === "" || type === data.type ? data : data.slice(0, data.size, type);
}

/** Bytes in memory that threads share cannot be part of a form. The types of browsers say so, and those of Node.js do not. */
function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
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

/** Not all browsers can iterate over a ReadableStream. */
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
  return new InvalidRequestError("file", `the file is larger than the ${maxBytes} bytes that the API accepts`);
}

/** Parses the filename in a Content-Disposition header; "" if there is none. */
export function parseFilename(contentDisposition: string | null): string {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(contentDisposition ?? "")?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="([^"]*)"/i.exec(contentDisposition ?? "")?.[1] ?? "";
}
