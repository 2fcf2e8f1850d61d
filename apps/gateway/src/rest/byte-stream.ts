import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { HttpBody } from "@switchyard/contracts/google/api/httpbody";
import { contentDisposition } from "@switchyard/rest";
import { canceled, getProblemFacts } from "@switchyard/rpc";
import { encodePieces, maxUncompressedBytes } from "../http/compression.ts";
import { notAcceptable, rangeNotSatisfiable } from "../http/errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { acceptsIdentity, chooseCoding, chooseMediaType, type Coding } from "../http/negotiation.ts";
import { sendResponse, writeHead } from "../http/responses.ts";
import { selectBytes, type Selection, type TaggedFile } from "./byte-ranges.ts";

/** The types that compress well. Pictures and workbooks are compressed already. */
const textType = /^(?:text\/|application\/(?:json|x-ndjson)(?:$|;))/;

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\t\x20-\x7e]+)?$/;

/**
 * Sends a stream of HttpBody messages as a download. Browsers save it under the percent-encoded name in the header x-file-name and
 * neither sniff nor run it. If the service sends x-file-size and x-file-sha256, the response has a length and a strong entity tag, and can
 * be a part of the file. The bytes are not requested if none are sent. Otherwise, a text is compressed for clients that accept that. Rejects
 * on failure. A failure after the first bytes, or the loss of access, also closes the connection, so that a partial file never looks complete.
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
    const isCompressible = file === undefined && textType.test(contentType);
    if (!isCompressible && !acceptsIdentity(exchange)) throw notAcceptable("Accept-Encoding", ["identity"]);
    const selection: Selection = file === undefined ? { kind: "whole" } : selectBytes(request, file);
    if (selection.kind === "unchanged") {
      return await sendResponse(exchange, 304, { etag: file?.tag ?? "" }, undefined);
    }
    if (selection.kind === "unsatisfiable") {
      exchange.headers["content-range"] = `bytes */${file?.size ?? 0}`;
      throw rangeNotSatisfiable(file?.size ?? 0);
    }
    const status = selection.kind === "part" ? 206 : 200;
    const headers: Record<string, string> = {
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
    const coding = isCompressible ? selectCoding(exchange, piece) : "identity";
    if (coding !== "identity") headers["content-encoding"] = coding;
    writeHead(exchange, status, headers);
    await write(exchange, encodePieces(startWith(piece, pieces), coding), accessLost);
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

/** Selects the coding of a text by its first piece, which is all of a short one. */
function selectCoding(exchange: Exchange, first: IteratorResult<Uint8Array>): Coding {
  const isShort = first.done === true || first.value.length <= maxUncompressedBytes;
  return isShort && acceptsIdentity(exchange) ? "identity" : (chooseCoding(exchange) ?? "identity");
}

async function* startWith(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

async function write(
  exchange: Exchange,
  pieces: AsyncIterable<Uint8Array>,
  accessLost: AbortSignal | undefined,
): Promise<void> {
  const { response } = exchange;
  const signal = AbortSignal.any([exchange.signal, ...(accessLost === undefined ? [] : [accessLost])]);
  try {
    for await (const piece of pieces) if (!response.write(piece)) await waitForDrain(response, signal);
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
