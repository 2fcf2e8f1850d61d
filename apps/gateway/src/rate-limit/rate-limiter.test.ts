import { setImmediate } from "node:timers/promises";
import { createTestBudget } from "../testing/test-budget.ts";
import { createRateLimiter, getSliceSize } from "./rate-limiter.ts";

const token = "tok_1";

describe("a rate limiter", () => {
  it("counts every request, and grants the limit exactly", async () => {
    const budget = createTestBudget();
    const count = createRateLimiter(600, budget.leaseRequests, budget.now);
    for (let left = 599; left >= 0; left -= 1) {
      expect(await count(token)).toEqual({ isWithin: true, left, endsInSeconds: 60 });
    }
    for (let further = 0; further < 100; further += 1) {
      expect(await count(token)).toEqual({ isWithin: false, left: 0, endsInSeconds: 60 });
    }
    expect(budget.leases()).toBeLessThan(80);
  });

  it("counts at once only what is leased in this minute", async () => {
    const budget = createTestBudget();
    const limiter = createRateLimiter(80, budget.leaseRequests, budget.now);
    expect(limiter.countAtOnce(token)).toBeUndefined();
    expect(await limiter(token)).toMatchObject({ isWithin: true, left: 79 });
    expect(limiter.countAtOnce(token)).toEqual({ isWithin: true, left: 78, endsInSeconds: 60 });
    expect(limiter.countAtOnce(token)).toBeUndefined();
    expect(await limiter(token)).toMatchObject({ isWithin: true, left: 77 });
    budget.pass(60_000);
    expect(limiter.countAtOnce(token)).toBeUndefined();
    expect(budget.leases()).toBe(2);
  });

  it("grants the limit again in the next minute, by the clock of the lease", async () => {
    const budget = createTestBudget(45_500);
    const count = createRateLimiter(3, budget.leaseRequests, budget.now);
    for (let requests = 0; requests < 3; requests += 1) await count(token);
    expect(await count(token)).toEqual({ isWithin: false, left: 0, endsInSeconds: 15 });
    budget.pass(14_499);
    expect(await count(token)).toEqual({ isWithin: false, left: 0, endsInSeconds: 1 });
    budget.pass(1);
    expect(await count(token)).toEqual({ isWithin: true, left: 2, endsInSeconds: 60 });
  });

  it("counts concurrent requests exactly, and every token separately", async () => {
    const budget = createTestBudget();
    const count = createRateLimiter(100, budget.leaseRequests, budget.now);
    const counted = await Promise.all(
      Array.from({ length: 500 }, async (_, index) => ({ index, ...(await count(`tok_${index % 2}`)) })),
    );
    for (const parity of [0, 1]) {
      const within = counted.filter(({ index, isWithin }) => isWithin && index % 2 === parity);
      expect(within.map(({ left }) => left).toSorted((one, other) => one - other)).toEqual(
        Array.from({ length: 100 }, (_, left) => left),
      );
    }
  });

  it.each([
    ["even", [1, 1, 1]],
    ["uneven", [20, 3, 1]],
    ["one-sided", [1_000, 1, 1]],
  ])("shares the limit between three gateways with %s load", async (_load, shares) => {
    const budget = createTestBudget();
    const gateways = shares.map(() => createRateLimiter(600, budget.leaseRequests, budget.now));
    let granted = 0;
    for (let round = 0; round < 1_000; round += 1) {
      for (const [index, count] of gateways.entries()) {
        if (round % Math.round(Math.max(...shares) / (shares[index] ?? 1)) !== 0) continue;
        if ((await count(token)).isWithin) granted += 1;
      }
    }
    expect(granted).toBeGreaterThanOrEqual(540);
    expect(granted).toBeLessThanOrEqual(600);
  });

  it("grants the limit on its own while nothing can be leased, and leases again afterwards", async () => {
    const budget = createTestBudget();
    const count = createRateLimiter(40, budget.leaseRequests, budget.now);
    for (let requests = 0; requests < 10; requests += 1) await count(token);
    budget.fail(true);
    for (let left = 29; left >= 0; left -= 1) expect(await count(token)).toMatchObject({ isWithin: true, left });
    expect(await count(token)).toEqual({ isWithin: false, left: 0, endsInSeconds: 60 });
    budget.pass(60_000);
    expect(await count(token)).toMatchObject({ isWithin: true, left: 39 });
    budget.fail(false);
    budget.pass(1_000);
    for (let requests = 0; requests < 3; requests += 1) {
      await count(token);
      await setImmediate();
    }
    const before = budget.leases();
    for (let requests = 0; requests < 10; requests += 1) await count(token);
    expect(budget.leases()).toBe(before + 10);
  });

  it("does not wait for a lease that hangs after one has failed", async () => {
    const budget = createTestBudget();
    let hangs = false;
    const leaseRequests: typeof budget.leaseRequests = (...request) =>
      hangs ? new Promise(() => undefined) : budget.leaseRequests(...request);
    const count = createRateLimiter(40, leaseRequests, budget.now);
    budget.fail(true);
    await count(token);
    hangs = true;
    budget.pass(1_000);
    for (let requests = 0; requests < 20; requests += 1) expect(await count(token)).toMatchObject({ isWithin: true });
  });
});

describe("getSliceSize", () => {
  it("is a fortieth of the limit, and falls to one request at the end", () => {
    const sizes = [600, 100, 60, 40, 20, 8, 4, 1, 0].map((left) => getSliceSize(600, left));
    expect(sizes).toEqual([15, 15, 15, 10, 5, 2, 1, 1, 1]);
    expect(getSliceSize(10, 10)).toBe(1);
  });
});
