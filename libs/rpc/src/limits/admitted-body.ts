import type { ByteBudget } from "./byte-budget.ts";

/** A request body whose bytes are reserved in a `ByteBudget` until `release` is called. */
export interface AdmittedBody {
  readonly bytes: AsyncGenerator<Uint8Array, void>;
  /** Returns the reserved bytes to the budget. */
  release(): void;
}

/** The maximum size of a body that needs no reservation. Most requests are small, and their number is limited. */
export const smallBodyBytes = 64 * 1024;

/**
 * Limits a body with a single message to the budget. If the length is known, it is reserved before the first byte is read. Otherwise,
 * `maxBytes` is reserved as soon as the body exceeds `smallBodyBytes`. Each body makes only one reservation, so that bodies cannot
 * deadlock. Nothing is read while a body waits, so that the client waits too. Fails like `ByteBudget.take`.
 */
export function admittedBody(
  body: AsyncIterable<Uint8Array>,
  { length, maxBytes }: { length: number | undefined; maxBytes: number },
  budget: ByteBudget,
  signal: AbortSignal,
): AdmittedBody {
  const reservation = createReservation(budget, signal);
  async function* admitted(): AsyncGenerator<Uint8Array, void> {
    let reserved = length !== undefined && length > smallBodyBytes;
    if (reserved) await reservation.reserve(Math.min(length ?? maxBytes, maxBytes));
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (!reserved && size > smallBodyBytes) {
        reserved = true;
        await reservation.reserve(maxBytes);
      }
      yield chunk;
    }
  }
  return { bytes: admitted(), release: () => reservation.release() };
}

/**
 * Limits a body with a stream of length-prefixed messages to the budget. Only one message is in memory at a time, so the reservation of
 * the previous message is returned before the next one is made. `maxBytes` is reserved for a compressed message.
 */
export function admittedStream(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  budget: ByteBudget,
  signal: AbortSignal,
): AdmittedBody {
  const reservation = createReservation(budget, signal);
  async function* admitted(): AsyncGenerator<Uint8Array, void> {
    const head = Buffer.alloc(messageHeadBytes);
    let headLength = 0;
    let left = 0;
    for await (const chunk of body) {
      let passed = 0;
      for (let offset = 0; offset < chunk.length;) {
        if (left > 0) {
          const step = Math.min(left, chunk.length - offset);
          left -= step;
          offset += step;
          continue;
        }
        head[headLength] = chunk[offset] ?? 0;
        headLength += 1;
        offset += 1;
        if (headLength < messageHeadBytes) continue;
        headLength = 0;
        left = head.readUInt32BE(1);
        const compressed = (head.readUInt8(0) & 1) === 1;
        const bytes = compressed ? maxBytes : left;
        // A message that is too large is refused because of its length, before it is read.
        if (bytes <= smallBodyBytes || bytes > maxBytes) continue;
        if (offset > passed) yield chunk.subarray(passed, offset);
        passed = offset;
        // The reader asks for more, so it no longer holds the previous message.
        reservation.releaseCurrent();
        await reservation.reserve(bytes);
      }
      if (passed < chunk.length) yield chunk.subarray(passed);
    }
  }
  return { bytes: admitted(), release: () => reservation.release() };
}

/** The size of the prefix of each message in a gRPC, gRPC-Web or Connect stream: one byte of flags and four of length. */
const messageHeadBytes = 5;

/** Makes one reservation at a time. After `release`, later reservations are returned immediately. */
function createReservation(budget: ByteBudget, signal: AbortSignal) {
  let releaseBytes: (() => void) | undefined;
  let released = false;
  return {
    async reserve(bytes: number): Promise<void> {
      releaseBytes = await budget.take(bytes, signal);
      if (released) releaseBytes();
    },
    releaseCurrent: () => releaseBytes?.(),
    release() {
      released = true;
      releaseBytes?.();
    },
  };
}

/** Returns whether the headers announce a body of length-prefixed messages: any gRPC body, or a Connect stream. */
export function isSequence(header: Headers): boolean {
  return /^application\/(grpc|connect\+)/i.test(header.get("content-type") ?? "");
}

/** Returns whether the body of a single message is compressed, and may therefore be much larger than its length. */
export function isCompressed(header: Headers): boolean {
  return (header.get("content-encoding") ?? "identity") !== "identity";
}
