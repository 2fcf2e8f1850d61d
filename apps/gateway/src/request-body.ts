import { canceled } from "@switchyard/rpc";
import { declaredLength, type Exchange } from "./exchange.ts";
import { payloadTooLarge } from "./errors.ts";

/** Tells a client that waits for it to go on and send the body. */
export function welcomeBody(exchange: Exchange): void {
  if (exchange.expectsContinue) exchange.response.writeContinue();
}

/**
 * The bytes of the body. Rejects with PAYLOAD_TOO_LARGE as soon as there are more than `maxBytes` (at once when the request
 * declares more), and with Canceled when the client goes away in the middle.
 */
export function readBody(exchange: Exchange, maxBytes: number): Promise<Uint8Array> {
  const { request } = exchange;
  if (declaredLength(request) > maxBytes) return Promise.reject(payloadTooLarge("The body", maxBytes));
  welcomeBody(exchange);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) {
        request.off("data", onData).pause();
        reject(payloadTooLarge("The body", maxBytes));
      } else chunks.push(chunk);
    };
    request
      .on("data", onData)
      .once("end", () => resolve(Buffer.concat(chunks, size)))
      .once("error", () => reject(canceled()))
      .once("close", () => reject(canceled()));
  });
}

/**
 * The bytes of the body as they arrive, with back-pressure; fails like `readBody`. When the reader stops early the rest of the
 * body stays unread.
 */
export async function* streamBody(exchange: Exchange, maxBytes: number): AsyncGenerator<Uint8Array> {
  const { request } = exchange;
  if (declaredLength(request) > maxBytes) throw payloadTooLarge("The file", maxBytes, "file");
  welcomeBody(exchange);
  let size = 0;
  try {
    // Leaving a plain loop over a request destroys its socket, and with it the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw payloadTooLarge("The file", maxBytes, "file");
      yield chunk;
    }
  } catch (error) {
    throw request.errored === null ? error : canceled();
  }
  if (!request.complete) throw canceled();
}
