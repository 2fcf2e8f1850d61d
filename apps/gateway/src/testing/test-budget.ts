import type { LeaseRequests } from "../rate-limit/rate-limiter.ts";

/** What several gateways lease from, with a clock that the test moves. */
export interface TestBudget {
  readonly leaseRequests: LeaseRequests;
  /** Returns the time in milliseconds. A minute begins at each multiple of 60,000. */
  now(): number;
  /** Moves the clock. */
  pass(ms: number): void;
  /** Makes the following leases fail, or succeed again. */
  fail(fails: boolean): void;
  /** Returns how many leases were requested. */
  leases(): number;
}

/** Creates a budget like that of the configuration service, in memory. */
export function createTestBudget(startMs = 0): TestBudget {
  const leased = new Map<string, number>();
  let nowMs = startMs;
  let leases = 0;
  let fails = false;
  return {
    async leaseRequests(tokenId, { limit, wanted }) {
      leases += 1;
      await Promise.resolve();
      if (fails) throw new Error("the configuration service is gone");
      const minute = Math.floor(nowMs / 60_000);
      const before = leased.get(`${tokenId} ${minute}`) ?? 0;
      const granted = Math.min(wanted, Math.max(0, limit - before));
      leased.set(`${tokenId} ${minute}`, before + wanted);
      return { granted, left: Math.max(0, limit - before - granted), minute, endsInMs: (minute + 1) * 60_000 - nowMs };
    },
    now: () => nowMs,
    pass: (ms) => void (nowMs += ms),
    fail: (given) => void (fails = given),
    leases: () => leases,
  };
}
