import { factsOf } from "../errors.ts";
import { admittedBody, smallBodyBytes } from "./admitted-body.ts";
import { createByteBudget } from "./byte-budget.ts";

const never = new AbortController().signal;
const reasonOf = (error: unknown) => factsOf(error).reason;

async function* pieces(...sizes: number[]): AsyncGenerator<Uint8Array, void> {
  for (const size of sizes) yield await Promise.resolve(new Uint8Array(size));
}

async function read(body: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of body) size += chunk.length;
  return size;
}

describe("createByteBudget", () => {
  it("admits in turn as room is given back, whole requests only", async () => {
    const budget = createByteBudget({ maxBytes: 100, maxWaitMs: 60_000 });
    const first = await budget.take(60, never);
    const order: string[] = [];
    const second = budget.take(60, never).then((giveBack) => (order.push("second"), giveBack));
    const third = budget.take(10, never).then((giveBack) => (order.push("third"), giveBack));
    expect(budget.state()).toEqual({ taken: 60, waiting: 2 });
    first();
    first();
    for (const giveBack of await Promise.all([second, third])) giveBack();
    expect(order).toEqual(["second", "third"]);
    expect(budget.state()).toEqual({ taken: 0, waiting: 0 });
  });

  it("refuses those who wait too long or go away, and lets those behind them in", async () => {
    const budget = createByteBudget({ maxBytes: 100, maxWaitMs: 50 });
    const giveBack = await budget.take(1_000, never);
    expect(budget.state().taken).toBe(100);
    await expect(budget.take(1, never).catch(reasonOf)).resolves.toBe("OVERLOADED");
    const gone = new AbortController();
    const waiting = budget.take(1, gone.signal).catch(reasonOf);
    gone.abort();
    await expect(waiting).resolves.toBe("CANCELED");
    await expect(budget.take(1, gone.signal).catch(reasonOf)).resolves.toBe("CANCELED");
    giveBack();
    expect(budget.state()).toEqual({ taken: 0, waiting: 0 });
  });
});

describe("admittedBody", () => {
  const limits = (length: number | undefined) => ({ length, maxBytes: 1_000_000 });

  it("asks for the length that a body declares, for the most without one, and for nothing where it is small", async () => {
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

  it("gives back also what it is given after its release", async () => {
    const budget = createByteBudget({ maxBytes: 100_000, maxWaitMs: 60_000 });
    const giveBack = await budget.take(100_000, never);
    const body = admittedBody(pieces(80_000), limits(80_000), budget, never);
    const reading = read(body.bytes);
    await new Promise((resolve) => setImmediate(resolve));
    expect(budget.state().waiting).toBe(1);
    body.release();
    giveBack();
    await reading;
    expect(budget.state()).toEqual({ taken: 0, waiting: 0 });
  });
});
