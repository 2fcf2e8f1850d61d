import { once } from "node:events";
import type { Message } from "@bufbuild/protobuf";
import type { HttpBody } from "@switchyard/contracts/google/api/httpbody";
import { contentDisposition } from "@switchyard/rest";
import type { Exchange } from "./exchange.ts";

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\x20-\x7e]+)?$/;

/**
 * Sends the bytes of a stream of HttpBody as a download: an attachment under the name that the header x-file-name gives
 * (percent-encoded), never sniffed, never run. A failure before the first bytes rejects; one after them breaks the connection
 * off, so that half a file never looks like a whole one, and rejects too.
 */
export async function sendBytes(
  exchange: Exchange,
  header: Headers,
  messages: AsyncIterable<Message>,
): Promise<number> {
  const { response, signal } = exchange;
  const iterator = messages[Symbol.asyncIterator]();
  let next = await iterator.next();
  const first = next.done === true ? undefined : (next.value as HttpBody);
  const contentType =
    first !== undefined && mediaType.test(first.contentType) ? first.contentType : "application/octet-stream";
  try {
    response.writeHead(200, {
      "content-type": contentType,
      "content-disposition": contentDisposition(decoded(header.get("x-file-name"))),
      "content-security-policy": "default-src 'none'; sandbox",
    });
    for (; next.done !== true; next = await iterator.next()) {
      if (!response.write((next.value as HttpBody).data)) await once(response, "drain", { signal });
    }
    response.end();
    return 200;
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    await iterator.return?.();
  }
}

function decoded(name: string | null): string | undefined {
  try {
    return name === null ? undefined : decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
