import { Code } from "@connectrpc/connect";
import { toFrame } from "../../serving/unary/message-frame.ts";
import { createMessageReader } from "./message-reader.ts";

function read(chunks: readonly Buffer[], maxBytes = 1_000) {
  const messages: Uint8Array[] = [];
  const reader = createMessageReader(maxBytes, (message) => void messages.push(message));
  let error;
  for (const chunk of chunks) error ??= reader.push(chunk)?.error;
  return { messages, error, isIncomplete: reader.isIncomplete() };
}

describe("createMessageReader", () => {
  it("reads messages however their bytes are divided", () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    let state = seed;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    for (let round = 0; round < 500; round++) {
      const messages = Array.from({ length: random(6) }, () =>
        Uint8Array.from({ length: random(3) === 0 ? 0 : random(300) }, () => random(256)),
      );
      const bytes = Buffer.concat(messages.map(toFrame));
      const chunks = [];
      for (let offset = 0; offset < bytes.length;) {
        const length = 1 + random(random(2) === 0 ? 4 : 400);
        chunks.push(bytes.subarray(offset, offset + length));
        offset += length;
      }
      const { isIncomplete, ...result } = read(chunks);
      expect(result, `seed ${seed}, round ${round}`).toEqual({ messages, error: undefined });
      expect(isIncomplete).toBe(false);
    }
  });

  it("returns Uint8Arrays that do not keep much more memory than they need", () => {
    const all = Buffer.alloc(64_000);
    toFrame(new Uint8Array([1, 2, 3])).copy(all, 100);
    const [message] = read([all.subarray(100, 108)]).messages;
    expect(message).toEqual(new Uint8Array([1, 2, 3]));
    expect(Buffer.isBuffer(message)).toBe(false);
    expect(message?.buffer.byteLength).toBe(3);
  });

  it("says whether a message is incomplete", () => {
    const frame = toFrame(new Uint8Array(10));
    for (let length = 1; length < frame.length; length++) {
      expect(read([frame.subarray(0, length)]).isIncomplete).toBe(true);
    }
  });

  it("refuses compressed messages, unknown flags, and messages over the limit", () => {
    for (const flags of [1, 2, 255]) {
      const frame = toFrame(new Uint8Array(3));
      frame[0] = flags;
      const { messages, error } = read([frame]);
      expect(messages).toEqual([]);
      expect([error?.code, error?.rawMessage]).toEqual([
        Code.Internal,
        "A response is compressed, but no compression was offered.",
      ]);
    }
    expect(read([toFrame(new Uint8Array(1_000))]).error).toBeUndefined();
    expect(read([toFrame(new Uint8Array(1_001))]).error?.code).toBe(Code.ResourceExhausted);
    expect(read([toFrame(new Uint8Array(1_001)).subarray(0, 5)]).error?.code).toBe(Code.ResourceExhausted);
  });
});
