import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { HttpBody } from "@switchyard/contracts/google/api/httpbody";
import { contentDisposition } from "@switchyard/rest";
import { canceled, getProblemFacts } from "@switchyard/rpc";
import { rangeNotSatisfiable } from "../http/errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { chooseMediaType } from "../http/negotiation.ts";
import { sendResponse, writeHead } from "../http/responses.ts";
import { selectBytes, type Selection, type TaggedFile } from "./byte-ranges.ts";

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\x20-\x7e]+)?$/;

/**
 * Sends a stream of HttpBody messages as a download. Browsers save it under the percent-encoded name in the header x-file-name and
 * neither sniff nor run it. If the service sends x-file-size and x-file-sha256, the response has a length and a strong entity tag, and can
 * be a part of the file. The bytes are not requested if none are sent. Rejects on failure. A failure after the first bytes, or the loss of
 * access, also closes the connection, so that a partial file never looks complete.
 */
export async function sendBytes(
  exchange: Exchange,
  header: Headers,
  messages: AsyncIterable<Message>,
  accessLost: AbortSignal | undefined,
): Promise<number> {
  const { request, response } = exchange;
  const iterator = (messages as AsyncIterable<HttpBody>)[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    const declared = first.done === true ? "" : first.value.contentType;
    const contentType = mediaType.test(declared) ? declared : "application/octet-stream";
    chooseMediaType(exchange, [contentType]);
    const file = getTaggedFile(header);
    const selection: Selection = file === undefined ? { kind: "whole" } : selectBytes(request, file);
    if (selection.kind === "unchanged") {
      return await sendResponse(exchange, 304, { etag: file?.tag ?? "" }, undefined);
    }
    if (selection.kind === "unsatisfiable") {
      exchange.headers["content-range"] = `bytes */${file?.size ?? 0}`;
      throw rangeNotSatisfiable(file?.size ?? 0);
    }
    const status = selection.kind === "part" ? 206 : 200;
    const headers = {
      "content-type": contentType,
      "content-disposition": contentDisposition(decodeFileName(header.get("x-file-name"))),
      "content-security-policy": "default-src 'none'; sandbox",
      ...(file === undefined ? {} : getFileHeaders(file, selection)),
    };
    if (request.method === "HEAD") {
      writeHead(exchange, status, headers);
      response.end();
      return status;
    }
    const pieces = selectPieces(first, iterator, file, selection);
    const piece = await pieces.next();
    writeHead(exchange, status, headers);
    await write(exchange, piece, pieces, accessLost);
    return status;
  } finally {
    await iterator.return?.();
  }
}

function getTaggedFile(header: Headers): TaggedFile | undefined {
  const [size, hash] = [header.get("x-file-size"), header.get("x-file-sha256")];
  return size === null || hash === null ? undefined : { size: Number(size), tag: `"${hash}"` };
}

function getFileHeaders({ size, tag }: TaggedFile, selection: Selection): Record<string, string> {
  const part = selection.kind === "part" ? selection : { first: 0, last: size - 1 };
  return {
    etag: tag,
    "accept-ranges": "bytes",
    "content-length": String(part.last - part.first + 1),
    ...(selection.kind === "part" ? { "content-range": `bytes ${part.first}-${part.last}/${size}` } : {}),
  };
}

/** Yields the selected bytes. Throws if the service sends fewer bytes than it declared. Reads no further than the last selected byte. */
async function* selectPieces(
  begin: IteratorResult<HttpBody>,
  rest: AsyncIterator<HttpBody>,
  file: TaggedFile | undefined,
  selection: Selection,
): AsyncGenerator<Uint8Array, void> {
  const end = selection.kind === "part" ? selection.last + 1 : (file?.size ?? Infinity);
  const start = selection.kind === "part" ? selection.first : 0;
  let position = 0;
  for (let next = begin; next.done !== true; next = await rest.next()) {
    const { data } = next.value;
    const piece = data.subarray(Math.max(0, start - position), Math.max(0, end - position));
    position += data.length;
    if (piece.length > 0) yield piece;
    if (position >= end) return;
  }
  if (file !== undefined && position < end) throw new Error(`a file has ${position} bytes instead of ${file.size}`);
}

async function write(
  exchange: Exchange,
  begin: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
  accessLost: AbortSignal | undefined,
): Promise<void> {
  const { response } = exchange;
  const signal = AbortSignal.any([exchange.signal, ...(accessLost === undefined ? [] : [accessLost])]);
  try {
    for (let next = begin; next.done !== true; next = await rest.next()) {
      if (!response.write(next.value)) await waitForDrain(response, signal);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

async function waitForDrain(response: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(response, "drain", { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    const reason: unknown = signal.reason;
    throw getProblemFacts(reason).code === Code.Internal ? canceled() : reason;
  }
}

function decodeFileName(name: string | null): string | undefined {
  try {
    return name === null ? undefined : decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
