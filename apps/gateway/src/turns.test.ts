import { factsOf } from "@switchyard/rpc";
import { createTurns } from "./turns.ts";

const reasonOf = async (call: Promise<unknown>) =>
  factsOf(
    await call.then(
      () => undefined,
      (error: unknown) => error,
    ),
  ).reason;

describe("turns", () => {
  it("begin so many calls, let so many wait in their order, and refuse all others at once", async () => {
    const turns = createTurns({ maxUnderWay: 2, maxWaiting: 2, maxWaitMs: 60_000 });
    const order: number[] = [];
    const begun = [await turns.take(), await turns.take()];
    const waiting = [1, 2].map((n) => turns.take().then((end) => (order.push(n), end)));
    expect(await reasonOf(turns.take())).toBe("OVERLOADED");
    begun[0]?.();
    begun[0]?.();
    (await waiting[0])?.();
    (await waiting[1])?.();
    expect(order).toEqual([1, 2]);
    begun[1]?.();
    const again = [await turns.take(), await turns.take()];
    expect(again).toHaveLength(2);
  });

  it("refuse a call that waited too long, and let go of one that was given up", async () => {
    const turns = createTurns({ maxUnderWay: 1, maxWaiting: 2, maxWaitMs: 30 });
    const end = await turns.take();
    const gone = new AbortController();
    const given = turns.take(gone.signal);
    const late = turns.take();
    gone.abort();
    expect(await reasonOf(given)).toBe("CANCELED");
    expect(await reasonOf(late)).toBe("OVERLOADED");
    end();
    (await turns.take())();
    (await turns.take())();
  });
});
