import { getProblemFacts } from "../errors.ts";
import { admittedBody, admittedStream, smallBodyBytes } from "./admitted-body.ts";
import { createByteBudget } from "./byte-budget.ts";

const never = new AbortController().signal;
const getReason = (error: unknown) => getProblemFacts(error).reason;

async function* pieces(...sizes: number[]): AsyncGenerator<Uint8Array, void> {
  for (const size of sizes) yield await Promise.resolve(new Uint8Array(size));
}

async function read(body: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of body) size += chunk.length;
  return size;
}

describe("createByteBudget", () => {
  it("admits requests in order when memory is released", async () => {
    const budget = createByteBudget({ maxBytes: 100, maxWaitMs: 60_000 });
    const first = await budget.take(60, never);
    const order: string[] = [];
    const second = budget.take(60, never).then((release) => (order.push("second"), release));
    const third = budget.take(10, never).then((release) => (order.push("third"), release));
    expect(budget.state()).toEqual({ taken: 60, waiting: 2 });
    first();
    first();
    for (const release of await Promise.all([second, third])) release();
    expect(order).toEqual(["second", "third"]);
    expect(budget.state()).toEqual({ taken: 0, waiting: 0 });
  });

  it("rejects requests that wait too long or are canceled, and admits those after them", async () => {
    const budget = createByteBudget({ maxBytes: 100, maxWaitMs: 50 });
    const release = await budget.take(1_000, never);
    expect(budget.state().taken).toBe(100);
    await expect(budget.take(1, never).catch(getReason)).resolves.toBe("OVERLOADED");
    const gone = new AbortController();
    const waiting = budget.take(1, gone.signal).catch(getReason);
    gone.abort();
    await expect(waiting).resolves.toBe("CANCELED");
    await expect(budget.take(1, gone.signal).catch(getReason)).resolves.toBe("CANCELED");
    release();
    expect(budget.state()).toEqual({ taken: 0, waiting: 0 });
  });
});

describe("admittedBody", () => {
  const limits = (length: number | undefined) => ({ length, maxBytes: 1_000_000 });

  it("takes the declared length of a body, the maximum without one, and nothing for a small body", async () => {
    const budget = createByteBudget({ maxBytes: 10_000_000, maxWaitMs: 50 });
    for (const [length, sizes, taken] of [
      [undefined, [10, 20], 0],
      [30, [10, 20], 0],
      [200_000, [100_000, 100_000], 200_000],
      [undefined, [smallBodyBytes, 1], 1_000_000],
    ] as const) {
      const body = admittedBody(pieces(...sizes), limits(length), budget, never);
      expect(await read(body.bytes)).toBe(sizes.reduce((sum, size) => sum + size));
      expect(budget.state().taken).toBe(taken);
      body.release();
      expect(budget.state().taken).toBe(0);
    }
  });

  it("also returns memory that it gets after its release", async () => {
    const budget = createByteBudget({ maxBytes: 100_000, maxWaitMs: 60_000 });
    const release = await budget.take(100_000, never);
    const body = admittedBody(pieces(80_000), limits(80_000), budget, never);
    const reading = read(body.bytes);
    await new Promise((resolve) => setImmediate(resolve));
    expect(budget.state().waiting).toBe(1);
    body.release();
    release();
    await reading;
    expect(budget.state()).toEqual({ taken: 0, waiting: 0 });
  });
});

describe("admittedStream", () => {
  const message = (size: number, flags = 0): Buffer => {
    const bytes = Buffer.alloc(5 + size, "x");
    bytes.writeUInt8(flags, 0);
    bytes.writeUInt32BE(size, 1);
    return bytes;
  };
  async function* cut(bytes: Buffer, size: number): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
  }

  it.each([3, 1_000, 70_000, 1_000_000])("takes memory for one large message at a time: pieces of %d", async (size) => {
    const budget = createByteBudget({ maxBytes: 200_000, maxWaitMs: 50 });
    const sent = Buffer.concat([message(10), message(150_000), message(20), message(160_000), message(0)]);
    const body = admittedStream(cut(sent, size), 1_000_000, budget, never);
    const received: Uint8Array[] = [];
    let most = 0;
    for await (const piece of body.bytes) {
      received.push(piece);
      most = Math.max(most, budget.state().taken);
    }
    expect(Buffer.concat(received).equals(sent)).toBe(true);
    expect(most).toBe(160_000);
    body.release();
    expect(budget.state()).toEqual({ taken: 0, waiting: 0 });
  });

  it("takes the maximum for a compressed message, and nothing for one that is too large", async () => {
    const budget = createByteBudget({ maxBytes: 2_000_000, maxWaitMs: 50 });
    const compressed = admittedStream(cut(message(70_000, 1), 80_000), 1_000_000, budget, never);
    await read(compressed.bytes);
    expect(budget.state().taken).toBe(1_000_000);
    compressed.release();
    await read(admittedStream(cut(message(70_000), 80_000), 69_000, budget, never).bytes);
    expect(budget.state()).toEqual({ taken: 0, waiting: 0 });
  });

  it("is rejected while others hold all memory", async () => {
    const budget = createByteBudget({ maxBytes: 100_000, maxWaitMs: 50 });
    const release = await budget.take(100_000, never);
    const body = admittedStream(cut(message(80_000), 1_000), 1_000_000, budget, never);
    await expect(read(body.bytes).catch(getReason)).resolves.toBe("OVERLOADED");
    body.release();
    release();
    expect(budget.state()).toEqual({ taken: 0, waiting: 0 });
  });
});
