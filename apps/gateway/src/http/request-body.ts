import { once } from "node:events";
import { canceled } from "@switchyard/rpc";
import { getDeclaredLength, type Exchange } from "./exchange.ts";
import { payloadTooLarge } from "./errors.ts";

/** Sends "100 Continue" to a client that waits for it before it sends the body. */
export function sendContinue(exchange: Exchange): void {
  if (exchange.expectsContinue) exchange.response.writeContinue();
}

/**
 * Returns whether the request has a body that is not empty. Of one that is sent in chunks, this is known when its first byte or its end has
 * arrived. Rejects with Canceled if the client disconnects before.
 */
export async function hasBody({ request, signal, expectsContinue }: Exchange): Promise<boolean> {
  if (request.headers["transfer-encoding"] === undefined) return getDeclaredLength(request) > 0;
  if (expectsContinue) return true;
  if (request.readableLength === 0 && !request.complete)
    await once(request, "readable", { signal }).catch(() => Promise.reject(canceled()));
  return request.readableLength > 0;
}

/**
 * Reads the body. Rejects with PAYLOAD_TOO_LARGE as soon as it exceeds `maxBytes` (at once if the declared length does), and with
 * Canceled if the client disconnects.
 */
export function readBody(exchange: Exchange, maxBytes: number): Promise<Uint8Array> {
  const { request } = exchange;
  if (getDeclaredLength(request) > maxBytes) return Promise.reject(payloadTooLarge("The body", maxBytes));
  // The request emits no more events.
  if (exchange.signal.aborted) return Promise.reject(canceled());
  sendContinue(exchange);
  return new Promise((resolve, reject) => {
    const body = createByteCollector(getDeclaredLength(request));
    const onData = (chunk: Buffer): void => {
      if (body.size + chunk.length > maxBytes) {
        request.off("data", onData).pause();
        reject(payloadTooLarge("The body", maxBytes));
      } else body.add(chunk);
    };
    request
      .on("data", onData)
      .once("end", () => resolve(body.getBytes()))
      .once("error", () => reject(canceled()))
      .once("close", () => {
        if (!request.readableEnded) reject(canceled());
      });
  });
}

/**
 * Streams the body as it arrives, with back-pressure. Fails like `readBody`. When the reader stops early, the rest of the body stays
 * unread.
 */
export async function* streamBody(exchange: Exchange, maxBytes: number): AsyncGenerator<Uint8Array> {
  const { request } = exchange;
  if (getDeclaredLength(request) > maxBytes) throw payloadTooLarge("The file", maxBytes, "file");
  sendContinue(exchange);
  let size = 0;
  try {
    // Leaving a plain loop over a request early would destroy its socket before the response is sent.
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

/** Collects bytes in one array. */
export interface ByteCollector {
  readonly size: number;
  add(chunk: Uint8Array): void;
  /** Returns what was added. Nothing may be added afterwards. */
  getBytes(): Uint8Array;
}

/** The space for a body of known length grows with what has arrived: a client that only announces a large body must cost nothing. */
const growth = 8;

/**
 * Creates a collector, which expects this number of bytes. Each chunk is copied when it arrives. Keeping the chunks until the last one
 * would take twice the memory, and leave gaps between other blocks that the C library does not return.
 */
export function createByteCollector(expectedBytes: number): ByteCollector {
  let bytes = new Uint8Array();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(chunk) {
      const needed = size + chunk.length;
      if (needed > bytes.length) {
        const larger = new Uint8Array(needed > expectedBytes ? 2 * needed : Math.min(expectedBytes, growth * needed));
        larger.set(bytes.subarray(0, size));
        bytes = larger;
      }
      bytes.set(chunk, size);
      size = needed;
    },
    getBytes: () => bytes.subarray(0, size),
  };
}
