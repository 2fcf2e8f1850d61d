import type { UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { invalid } from "../errors.ts";

// gRPC-Web as text: the body of gRPC-Web in base64, for browsers that cannot read a response as bytes while it arrives. The official client
// for JavaScript uses it by default, and Connect does not support it.

const textType = /^application\/grpc-web-text(?=\+|;|$)/i;
const binaryType = /^application\/grpc-web(?=\+|;|$)/i;

/** Changes a request in gRPC-Web as text to gRPC-Web. Returns whether it was one; then `toWebText` changes its response back. */
export function fromWebText(request: UniversalServerRequest): boolean {
  const type = request.header.get("content-type") ?? "";
  if (!textType.test(type)) return false;
  request.header.set("content-type", type.replace(textType, "application/grpc-web"));
  request.body = decodeBase64(request.body as AsyncIterable<Uint8Array>);
  return true;
}

/** Changes a response in gRPC-Web to gRPC-Web as text. Any other response, such as one for a wrong method, stays as it is. */
export function toWebText(response: UniversalServerResponse): UniversalServerResponse {
  const type = response.header?.get("content-type") ?? "";
  if (!binaryType.test(type)) return response;
  const header = new Headers(response.header);
  header.set("content-type", type.replace(binaryType, "application/grpc-web-text"));
  return { ...response, header, ...(response.body === undefined ? {} : { body: encodeBase64(response.body) }) };
}

/**
 * Decodes base64. It may be padded in the middle, where a part that was encoded by itself ends.
 * @throws INVALID_REQUEST
 */
async function* decodeBase64(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let rest = "";
  for await (const chunk of source) {
    const text = rest + Buffer.from(chunk).toString("latin1");
    const end = text.length - (text.length % 4);
    rest = text.slice(end);
    if (end > 0) yield decodeParts(text.slice(0, end));
  }
  if (rest !== "") throw notBase64();
}

/** Decodes whole groups of four characters. */
function decodeParts(text: string): Buffer {
  const parts = text.match(/[A-Za-z0-9+/]+={0,2}/g) ?? [];
  let length = 0;
  for (const part of parts) {
    if (part.length % 4 !== 0) throw notBase64();
    length += part.length;
  }
  if (length !== text.length) throw notBase64();
  return Buffer.concat(parts.map((part) => Buffer.from(part, "base64")));
}

function notBase64(): Error {
  return invalid([{ field: "", message: "The body is not valid base64." }]);
}

/** Encodes each part by itself, so that it can be read as soon as it has arrived. */
async function* encodeBase64(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of source) yield Buffer.from(Buffer.from(chunk).toString("base64"), "latin1");
}
