import { createRequestQueue } from "./request-queue.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const arrived = (isComplete = true) => ({
  arrivedAt: performance.now(),
  isComplete: () => isComplete,
  begin: () => true,
});

describe("a request queue", () => {
  it("starts requests in order, a few in each turn of the event loop, not counting those that need no work", async () => {
    const queue = createRequestQueue();
    const begun: number[] = [];
    const add = (number: number, needsNoWork = false) =>
      queue.add({ ...arrived(), begin: () => !needsNoWork && begun.push(number) > 0 });
    for (let number = 0; number < 40; number += 1) add(number, number % 2 === 1);
    expect(queue.size).toBe(40);
    expect(begun).toEqual([]);
    await nextTurn();
    expect(begun.length).toBeGreaterThan(0);
    expect(begun.length).toBeLessThan(20);
    expect(queue.size).toBe(40 - 2 * begun.length + 1);
    while (begun.length < 20) await nextTurn();
    expect(begun).toEqual(Array.from({ length: 20 }, (_, index) => 2 * index));
    add(40);
    await nextTurn();
    expect(begun.at(-1)).toBe(40);
  });

  it("looks at a few requests in each turn, even if none of them needs work", async () => {
    const queue = createRequestQueue();
    for (let number = 0; number < 900; number += 1) queue.add({ ...arrived(), begin: () => false });
    await nextTurn();
    expect(queue.size).toBeGreaterThan(700);
    expect(queue.size).toBeLessThan(900);
    while (queue.size > 0) await nextTurn();
  });

  it("tells how long the next request has waited, if there are many", async () => {
    const queue = createRequestQueue();
    const begun = performance.now();
    for (let number = 0; number < 60; number += 1) queue.add(arrived(false));
    for (let number = 0; number < 10; number += 1) queue.add(arrived());
    await nextTurn();
    while (performance.now() - begun < 20);
    expect(queue.getWaitMs()).toBe(0);
    for (let number = 0; number < 60; number += 1) queue.add({ ...arrived(), arrivedAt: begun });
    await nextTurn();
    expect(queue.getWaitMs()).toBeGreaterThanOrEqual(19);
    while (queue.getWaitMs() > 0) await nextTurn();
  });

  it("starts complete requests first, and a few incomplete ones with them", async () => {
    const queue = createRequestQueue();
    const begun: boolean[] = [];
    const add = (isComplete: boolean) => queue.add({ ...arrived(isComplete), begin: () => begun.push(isComplete) > 0 });
    for (let number = 0; number < 100; number += 1) add(false);
    for (let number = 0; number < 20; number += 1) add(true);
    while (begun.filter((isComplete) => isComplete).length < 20) await nextTurn();
    const incomplete = begun.filter((isComplete) => !isComplete).length;
    expect(incomplete).toBeGreaterThan(0);
    expect(incomplete).toBeLessThan(20);
    while (begun.length < 120) await nextTurn();
  });

  it("starts a request that becomes complete before incomplete ones", async () => {
    const queue = createRequestQueue();
    let isComplete = false;
    let isBegun = false;
    const incomplete = { begun: 0 };
    for (let number = 0; number < 100; number += 1)
      queue.add({ ...arrived(false), begin: () => (incomplete.begun += 1) > 0 });
    queue.add({ ...arrived(), isComplete: () => isComplete, begin: () => (isBegun = true) });
    await nextTurn();
    isComplete = true;
    while (!isBegun) await nextTurn();
    expect(incomplete.begun).toBeLessThan(50);
    while (incomplete.begun < 100) await nextTurn();
  });

  it("counts the wait of requests from when they are complete", async () => {
    const queue = createRequestQueue();
    let areComplete = false;
    const long = performance.now() - 10_000;
    for (let number = 0; number < 100; number += 1)
      queue.add({ ...arrived(), arrivedAt: long, isComplete: () => areComplete });
    await nextTurn();
    areComplete = true;
    await nextTurn();
    expect(queue.getWaitMs()).toBeLessThan(5_000);
    while (queue.getWaitMs() > 0) await nextTurn();
  });
});
