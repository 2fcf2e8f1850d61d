import { type Failure, tooLarge, violation } from "./failure.ts";

/** Reads the messages in the body of a response. */
export interface MessageReader {
  /** Reads the next bytes, and delivers the messages that they complete. Returns the failure if they violate the protocol. */
  push(chunk: Buffer): Failure | undefined;
  /** Whether the bytes so far end within a message. */
  isIncomplete(): boolean;
}

/** The size of the header of a message: one byte of flags and four of length. */
const headBytes = 5;

/**
 * Creates a reader that calls `deliver` with each message. Messages over `maxBytes` and compressed ones, which this client does not offer to
 * read, are failures. The messages are plain views, so that `bytes` fields are Uint8Arrays and not Buffers.
 */
export function createMessageReader(maxBytes: number, deliver: (message: Uint8Array) => void): MessageReader {
  const head = Buffer.alloc(headBytes);
  let headLength = 0;
  let body: Uint8Array | undefined;
  let bodyLength = 0;

  function check(from: Buffer, offset: number): Failure | undefined {
    if (from[offset] !== 0) return violation("A response is compressed, but no compression was offered.");
    const length = from.readUInt32BE(offset + 1);
    return length > maxBytes ? tooLarge(`A response of ${length} bytes exceeds the limit of ${maxBytes}.`) : undefined;
  }

  /** Reads a message that is complete, or begins to read one that is not. Returns the offset of what follows. */
  function begin(chunk: Buffer, offset: number): number | Failure {
    const failure = check(chunk, offset);
    if (failure !== undefined) return failure;
    const length = chunk.readUInt32BE(offset + 1);
    const start = offset + headBytes;
    if (chunk.length - start >= length) {
      deliver(detached(chunk, start, length));
      return start + length;
    }
    body = new Uint8Array(length);
    bodyLength = 0;
    return start;
  }

  function continueHead(chunk: Buffer, offset: number): number | Failure {
    const end = Math.min(chunk.length, offset + headBytes - headLength);
    headLength += chunk.copy(head, headLength, offset, end);
    if (headLength < headBytes) return end;
    headLength = 0;
    const next = begin(head, 0);
    return typeof next === "number" ? end : next;
  }

  function continueBody(chunk: Buffer, offset: number, target: Uint8Array): number {
    const end = Math.min(chunk.length, offset + target.length - bodyLength);
    bodyLength += chunk.copy(target, bodyLength, offset, end);
    if (bodyLength === target.length) {
      body = undefined;
      deliver(target);
    }
    return end;
  }

  return {
    push(chunk) {
      let offset = 0;
      while (offset < chunk.length) {
        let next: number | Failure;
        if (body !== undefined) next = continueBody(chunk, offset, body);
        else if (headLength === 0 && chunk.length - offset >= headBytes) next = begin(chunk, offset);
        else next = continueHead(chunk, offset);
        if (typeof next !== "number") return next;
        offset = next;
      }
      return undefined;
    },
    isIncomplete: () => body !== undefined || headLength > 0,
  };
}

/** Returns a part of a chunk, copied if it would otherwise keep much more memory than it needs: a chunk is a view on all that was received. */
function detached(chunk: Buffer, start: number, length: number): Uint8Array {
  const view = new Uint8Array(chunk.buffer, chunk.byteOffset + start, length);
  return length < chunk.buffer.byteLength / 2 ? view.slice() : view;
}
