import { createRequestScheduler } from "./request-scheduler.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("createRequestScheduler", () => {
  it("starts a few requests per turn of the event loop, those of served connections first, and skips closed connections", async () => {
    const schedule = createRequestScheduler();
    const begun: string[] = [];
    const request = (name: string, isNew: boolean, gone = false) => ({
      isNew,
      isGone: () => gone,
      begin: () => void begun.push(name),
    });
    for (let n = 0; n < 100; n += 1) schedule(request("gone", true, true));
    for (let n = 0; n < 20; n += 1) schedule(request(`new ${n}`, true));
    schedule(request("served", false));
    expect(begun).toEqual([]);
    await nextTurn();
    expect(begun[0]).toBe("served");
    expect(begun.length).toBeLessThan(21);
    while (begun.length < 21) await nextTurn();
    expect(begun.slice(1)).toEqual(Array.from({ length: 20 }, (_, n) => `new ${n}`));
  });
});
