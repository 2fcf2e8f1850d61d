import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Message } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { HttpBody } from "@switchyard/contracts/google/api/httpbody";
import { contentDisposition } from "@switchyard/rest";
import { canceled, getProblemFacts } from "@switchyard/rpc";
import type { Exchange } from "../http/exchange.ts";

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\x20-\x7e]+)?$/;

/**
 * Sends a stream of HttpBody messages as a download. Browsers save it under the percent-encoded name in the header x-file-name and
 * neither sniff nor run it. Rejects on failure. A failure after the first bytes, or the loss of access, also closes the connection,
 * so that a partial file never looks complete.
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
      "content-disposition": contentDisposition(decodeFileName(header.get("x-file-name"))),
      "content-security-policy": "default-src 'none'; sandbox",
    });
    for (; next.done !== true; next = await iterator.next()) {
      if (!response.write((next.value as HttpBody).data)) await waitForDrain(response, signal);
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
