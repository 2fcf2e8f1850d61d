import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { HttpBody } from "@switchyard/contracts/google/api/httpbody";
import { contentDisposition } from "@switchyard/rest";
import { canceled, getProblemFacts } from "@switchyard/rpc";
import type { Exchange } from "./exchange.ts";

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\x20-\x7e]+)?$/;

/**
 * Sends the bytes of a stream of HttpBody as a download: an attachment under the name that the header x-file-name gives
 * (percent-encoded), never sniffed, never run. A failure before the first bytes rejects; one after them breaks the connection
 * off, so that half a file never looks like a whole one, and rejects too; so does the loss of access, also while the client does
 * not read.
 */
export async function sendBytes(
  exchange: Exchange,
  header: Headers,
  messages: AsyncIterable<Message>,
  accessLost: AbortSignal | undefined,
): Promise<number> {
  const { response } = exchange;
  const signal = AbortSignal.any([exchange.signal, ...(accessLost === undefined ? [] : [accessLost])]);
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
      if (!response.write((next.value as HttpBody).data)) await drained(response, signal);
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

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(response, "drain", { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    const reason: unknown = signal.reason;
    throw getProblemFacts(reason).code === Code.Internal ? canceled() : reason;
  }
}

function decoded(name: string | null): string | undefined {
  try {
    return name === null ? undefined : decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
