import { Code } from "@connectrpc/connect";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { decimal } from "@switchyard/environment";
import { problem } from "@switchyard/rpc";
import { z } from "zod";
import { createRateLimiter, type Count, type LeaseRequests } from "./rate-limiter.ts";

/** The rate limit of tokens. */
export interface LimitRate {
  /**
   * Counts a request of a caller and sets the headers that report the rate limit on its response. Throws ResourceExhausted (RATE_LIMITED)
   * if the token has no requests left in this minute.
   */
  (caller: Pick<Caller, "tokenId">, setHeader: SetHeader): Promise<void>;
  /** Does the same if that is possible without waiting or throwing. Otherwise, returns false and does nothing. */
  atOnce(caller: Pick<Caller, "tokenId">, setHeader: SetHeader): boolean;
}

type SetHeader = (name: string, value: string) => void;

/** The options of a rate limit. */
export interface RateLimitOptions {
  /** How many requests a token may make in a minute; 0 means any number. */
  readonly requestsPerMinute: number;
  readonly leaseRequests: LeaseRequests;
  /** A clock in milliseconds, for tests. */
  readonly now?: () => number;
}

/**
 * Creates the rate limit of a gateway, for both of its ports together. The headers are those of draft-ietf-httpapi-ratelimit-headers.
 * Without a limit, nothing is counted and there are no headers.
 */
export function createRateLimit({ requestsPerMinute, leaseRequests, now }: RateLimitOptions): LimitRate {
  if (requestsPerMinute === 0) return Object.assign(() => Promise.resolve(), { atOnce: () => true });
  const count = createRateLimiter(requestsPerMinute, leaseRequests, now);

  function report({ left, endsInSeconds }: Count, setHeader: SetHeader): void {
    setHeader("ratelimit-policy", `"token";q=${requestsPerMinute};w=60`);
    setHeader("ratelimit", `"token";r=${left};t=${endsInSeconds}`);
  }

  async function limitRate({ tokenId }: Pick<Caller, "tokenId">, setHeader: SetHeader): Promise<void> {
    const counted = await count(tokenId);
    report(counted, setHeader);
    if (counted.isWithin) return;
    const { endsInSeconds } = counted;
    const message = `The token has made its ${requestsPerMinute} requests for this minute. Try again in ${endsInSeconds} s.`;
    throw problem(Code.ResourceExhausted, "RATE_LIMITED", message, { retryAfterSeconds: endsInSeconds });
  }

  return Object.assign(limitRate, {
    atOnce({ tokenId }: Pick<Caller, "tokenId">, setHeader: SetHeader) {
      const counted = count.countAtOnce(tokenId);
      if (counted !== undefined) report(counted, setHeader);
      return counted !== undefined;
    },
  });
}

/** The environment variable with the number of requests that a token may make in a minute. */
export const rateLimitVariables = {
  SWITCHYARD_RATE_LIMIT: decimal(z.number().int().min(0).max(1_000_000)).default(600),
};
