/** What the configuration service leases to a gateway. */
export interface Lease {
  /** How many requests were granted, at most those that were wanted. */
  readonly granted: number;
  /** How many requests of the minute can still be leased. */
  readonly left: number;
  /** The minute by the clock of the configuration service, since 1970. */
  readonly minute: number;
  readonly endsInMs: number;
}

/** Leases some of a token's requests of the current minute. */
export type LeaseRequests = (
  tokenId: string,
  lease: { readonly limit: number; readonly wanted: number },
) => Promise<Lease>;

/** The outcome of counting a request. */
export interface Count {
  /** Whether the request is within the limit. */
  readonly isWithin: boolean;
  /** How many further requests the token has in this minute, as far as this gateway knows. */
  readonly left: number;
  /** The time until the minute ends, in seconds, rounded up; at least 1. */
  readonly endsInSeconds: number;
}

/** Counts the requests of tokens against their limit. */
export interface RateLimiter {
  /** Counts a request of a token. If necessary, it leases requests first. */
  (tokenId: string): Promise<Count>;
  /** Counts a request if it is within the limit and needs no lease. Otherwise, returns undefined and counts nothing. */
  countAtOnce(tokenId: string): Count | undefined;
}

/** The budget of a token in a minute, as this gateway knows it. */
interface Budget {
  /** Undefined until something is leased, and for a minute that began while nothing could be leased. */
  minute: number | undefined;
  endsAt: number;
  /** The requests that are leased and not used yet. */
  leased: number;
  /** The requests that can still be leased. */
  left: number;
  used: number;
  leasing: Promise<void> | undefined;
  waiting: number;
}

/** The pause between attempts to lease after one failed, in milliseconds. */
const retryIntervalMs = 1_000;
const minuteMs = 60_000;

/**
 * Creates a limiter that counts the requests of a token against its limit per minute. The requests are leased in slices, so that gateways
 * share the limit without a call per request. What several gateways grant together is never more than the limit; an idle gateway
 * withholds at most a slice. While nothing can be leased, this gateway grants up to the limit on its own, and only the first request waits
 * for the failure. Budgets of past minutes are forgotten. `now` is in milliseconds and need not be the time of day.
 */
export function createRateLimiter(
  limit: number,
  leaseRequests: LeaseRequests,
  now: () => number = () => performance.now(),
): RateLimiter {
  const budgets = new Map<string, Budget>();
  let expireAt = now() + minuteMs;
  let failing = false;
  let retryAt = 0;

  async function lease(tokenId: string, budget: Budget): Promise<void> {
    if (!failing) return tryToLease(tokenId, budget);
    grantLocally(budget);
    if (now() < retryAt) return;
    retryAt = now() + retryIntervalMs;
    void tryToLease(tokenId, budget);
  }

  async function tryToLease(tokenId: string, budget: Budget): Promise<void> {
    const startedAt = now();
    const wanted = Math.min(limit, Math.max(getSliceSize(limit, budget.left), budget.waiting));
    try {
      const { granted, left, minute, endsInMs } = await leaseRequests(tokenId, { limit, wanted });
      if (budget.minute !== minute) Object.assign(budget, { minute, leased: 0, used: 0 });
      Object.assign(budget, { endsAt: startedAt + endsInMs, leased: budget.leased + granted, left });
      failing = false;
    } catch {
      failing = true;
      retryAt = now() + retryIntervalMs;
      grantLocally(budget);
    }
  }

  /** Grants a slice of the limit, of which other gateways know nothing. Begins a minute of its own after that of the last lease. */
  function grantLocally(budget: Budget): void {
    if (budget.endsAt <= now()) {
      Object.assign(budget, { minute: undefined, endsAt: now() + minuteMs, leased: 0, used: 0 });
    }
    const left = Math.max(0, limit - budget.used - budget.leased);
    const granted = Math.min(left, getSliceSize(limit, left));
    Object.assign(budget, { leased: budget.leased + granted, left: left - granted });
  }

  async function waitForLease(tokenId: string, budget: Budget): Promise<void> {
    budget.waiting += 1;
    budget.leasing ??= lease(tokenId, budget).finally(() => (budget.leasing = undefined));
    await budget.leasing.finally(() => (budget.waiting -= 1));
  }

  function forgetPastMinutes(): void {
    if (now() < expireAt) return;
    expireAt = now() + minuteMs;
    for (const [tokenId, { endsAt, waiting }] of budgets) {
      if (endsAt <= now() && waiting === 0) budgets.delete(tokenId);
    }
  }

  /** Takes a leased request from the budget, if there is one. */
  function take(budget: Budget): Count {
    const isWithin = budget.leased > 0;
    if (isWithin) {
      budget.leased -= 1;
      budget.used += 1;
    }
    const endsInSeconds = Math.max(1, Math.ceil((budget.endsAt - now()) / 1_000));
    return { isWithin, left: budget.leased + budget.left, endsInSeconds };
  }

  async function count(tokenId: string): Promise<Count> {
    forgetPastMinutes();
    const budget = budgets.get(tokenId) ?? createBudget(limit);
    budgets.set(tokenId, budget);
    if (budget.endsAt <= now()) {
      budget.left = limit;
      await waitForLease(tokenId, budget);
    }
    while (budget.leased === 0 && budget.left > 0) await waitForLease(tokenId, budget);
    return take(budget);
  }

  return Object.assign(count, {
    countAtOnce(tokenId: string) {
      const budget = budgets.get(tokenId);
      if (budget === undefined || budget.endsAt <= now() || budget.leased === 0) return undefined;
      return take(budget);
    },
  });
}

function createBudget(limit: number): Budget {
  return { minute: undefined, endsAt: -Infinity, leased: 0, left: limit, used: 0, leasing: undefined, waiting: 0 };
}

/**
 * Returns how many requests are leased at a time: a fortieth of the limit, and fewer when few are left, so that all gateways reach the end
 * of the budget together.
 */
export function getSliceSize(limit: number, left: number): number {
  return Math.max(1, Math.floor(Math.min(limit / 40, left / 4)));
}
