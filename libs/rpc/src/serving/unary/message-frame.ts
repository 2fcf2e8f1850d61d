import type { Readable } from "node:stream";
import { Code } from "@connectrpc/connect";
import { problem } from "../../errors.ts";

/** The size of the header of a message frame: one byte of flags and four of length. */
const headBytes = 5;

/**
 * Reads a request that consists of a single message in a single chunk, as small requests do. For any other request
 * (one with a longer, a compressed or a malformed message, or with several), puts all bytes back into the stream and resolves with
 * undefined. Rejects if the request is empty. Does not settle if the stream closes.
 */
export function readOnlyFrame<T>(
  stream: Readable,
  { maxBytes, parse }: { maxBytes: number; parse: (bytes: Uint8Array) => T },
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let frame: { chunk: Buffer; message: T } | undefined;
    const stop = (): void => void stream.off("data", onData).off("end", onEnd);
    function onData(chunk: Buffer): void {
      const message = frame === undefined ? parseFrame(chunk, maxBytes, parse) : undefined;
      if (message !== undefined) {
        frame = { chunk, message };
        return;
      }
      stop();
      putBack(stream, frame === undefined ? chunk : Buffer.concat([frame.chunk, chunk]));
      resolve(undefined);
    }
    function onEnd(): void {
      stop();
      if (frame !== undefined) resolve(frame.message);
      // An ended stream cannot be read again.
      else reject(problem(Code.Unimplemented, "UNIMPLEMENTED", "A unary call has no request message."));
    }
    stream.on("data", onData).on("end", onEnd);
  });
}

/** Stops a stream at a chunk that it has emitted, so that its next reader begins with the chunk. */
function putBack(stream: Readable, chunk: Buffer): void {
  stream.pause();
  stream.unshift(chunk);
  // A stream that was paused does not flow automatically when a listener is added.
  stream.on("newListener", function begin(event: string) {
    if (event !== "data") return;
    stream.off("newListener", begin);
    stream.resume();
  });
}

function parseFrame<T>(chunk: Buffer, maxBytes: number, parse: (bytes: Uint8Array) => T): T | undefined {
  if (chunk.length < headBytes || chunk[0] !== 0) return undefined;
  const length = chunk.readUInt32BE(1);
  if (length !== chunk.length - headBytes || length > maxBytes) return undefined;
  try {
    // A plain view, so that `bytes` fields are Uint8Arrays and not Buffers.
    return parse(new Uint8Array(chunk.buffer, chunk.byteOffset + headBytes, length));
  } catch {
    return undefined;
  }
}

/** Returns the frame of an uncompressed message. */
export function toFrame(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, headBytes);
  return frame;
}
