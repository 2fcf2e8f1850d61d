import type { ByteBudget } from "./byte-budget.ts";

/** A body that takes room in memory while it is read, and after that for as long as what it carried is worked on. */
export interface AdmittedBody {
  readonly bytes: AsyncGenerator<Uint8Array, void>;
  /** Gives the room back. */
  release(): void;
}

/** What a body may be without asking for room: most requests are small, and how many there are at once is bounded. */
export const smallBodyBytes = 64 * 1024;

/**
 * Passes a body of one message on within the budget. One that says its length asks for that before its first byte is read; one that
 * does not asks for `maxBytes`, the most that it may have, once it is more than small. Asking once keeps bodies from waiting for each
 * other. While it waits nothing is read, so that the client waits too. Fails as `ByteBudget.take` does.
 */
export function admittedBody(
  body: AsyncIterable<Uint8Array>,
  { length, maxBytes }: { length: number | undefined; maxBytes: number },
  budget: ByteBudget,
  signal: AbortSignal,
): AdmittedBody {
  const room = createRoom(budget, signal);
  async function* admitted(): AsyncGenerator<Uint8Array, void> {
    let asked = length !== undefined && length > smallBodyBytes;
    if (asked) await room.ask(Math.min(length ?? maxBytes, maxBytes));
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (!asked && size > smallBodyBytes) {
        asked = true;
        await room.ask(maxBytes);
      }
      yield chunk;
    }
  }
  return { bytes: admitted(), release: () => room.release() };
}

/**
 * Passes a body on that is a stream of messages, each behind a flag and its length. Only one of them is in memory at once: it asks for
 * room for each that is more than small, when that of the one before is given back. A compressed one may become `maxBytes`.
 */
export function admittedStream(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  budget: ByteBudget,
  signal: AbortSignal,
): AdmittedBody {
  const room = createRoom(budget, signal);
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
        // One that is too large is refused by its length, before it is read.
        if (bytes <= smallBodyBytes || bytes > maxBytes) continue;
        if (offset > passed) yield chunk.subarray(passed, offset);
        passed = offset;
        // The reader asks for more, so the message before is no longer held.
        room.giveBack();
        await room.ask(bytes);
      }
      if (passed < chunk.length) yield chunk.subarray(passed);
    }
  }
  return { bytes: admitted(), release: () => room.release() };
}

/** What stands before each message of a stream in gRPC, gRPC-Web and Connect: flags, and the length in four bytes. */
const messageHeadBytes = 5;

/** Room that is asked for while nothing is held, until it is released for good. */
function createRoom(budget: ByteBudget, signal: AbortSignal) {
  let taken: (() => void) | undefined;
  let released = false;
  return {
    async ask(bytes: number): Promise<void> {
      taken = await budget.take(bytes, signal);
      if (released) taken();
    },
    giveBack: () => taken?.(),
    release() {
      released = true;
      taken?.();
    },
  };
}

/** Whether a body is a sequence of messages, each behind a flag and its length, by its headers: all of gRPC, and streams of Connect. */
export function isSequence(header: Headers): boolean {
  return /^application\/(grpc|connect\+)/i.test(header.get("content-type") ?? "");
}

/** Whether a body of one message is compressed, and so may become much more than its length. */
export function isCompressed(header: Headers): boolean {
  return (header.get("content-encoding") ?? "identity") !== "identity";
}
