import { createRequestQueue } from "./request-queue.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("a request queue", () => {
  it("starts requests in order, a few in each turn of the event loop, but none whose client has gone", async () => {
    const queue = createRequestQueue();
    const begun: number[] = [];
    const add = (number: number, isGone = false) =>
      queue.add({ arrivedAt: performance.now(), isGone: () => isGone, begin: () => void begun.push(number) });
    for (let number = 0; number < 40; number += 1) add(number, number % 2 === 1);
    expect(begun).toEqual([]);
    await nextTurn();
    expect(begun.length).toBeGreaterThan(0);
    expect(begun.length).toBeLessThan(20);
    while (begun.length < 20) await nextTurn();
    expect(begun).toEqual(Array.from({ length: 20 }, (_, index) => 2 * index));
    add(40);
    await nextTurn();
    expect(begun.at(-1)).toBe(40);
  });

  it("tells how long the next request has waited, if there are many", async () => {
    const queue = createRequestQueue();
    const add = () => queue.add({ arrivedAt: performance.now(), isGone: () => false, begin: () => undefined });
    const begun = performance.now();
    for (let number = 0; number < 10; number += 1) add();
    while (performance.now() - begun < 20);
    expect(queue.getWaitMs()).toBe(0);
    for (let number = 0; number < 40; number += 1) add();
    expect(queue.getWaitMs()).toBeGreaterThanOrEqual(19);
    while (queue.getWaitMs() > 0) await nextTurn();
  });
});
