import { Code } from "@connectrpc/connect";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { getProblemFacts, unauthenticated, unavailable } from "@switchyard/rpc";
import { LRUCache } from "lru-cache";
import { createHash } from "node:crypto";
import { isTokenSecret } from "./token-secret.ts";

/** Turns an Authorization header into the caller. */
export interface TokenVerifier {
  /** The caller of a bearer token. Throws Unauthenticated, or Unavailable when that cannot be said now. */
  verify(authorization: string | undefined, requestId?: string): Promise<Caller>;
  /** The same, looked up anew whatever is remembered: for a second look before a caller is refused. */
  refresh(authorization: string | undefined, requestId?: string): Promise<Caller>;
}

/**
 * `lookup` throws Unauthenticated for a secret that is no live token; every other error counts as "cannot be said now". It is told
 * the request that a look-up is made for, if that is known.
 */
export interface TokenVerifierOptions {
  lookup: (secret: string, requestId: string | undefined) => Promise<Caller>;
  now?: () => number;
  /** How long an answer counts. */
  ttlMs?: number;
  /** How long a caller is known while nobody can say who they are. */
  outageMs?: number;
}

const maxEntries = 10_000;

/**
 * Verifies bearer tokens with few look-ups: malformed ones are refused without any, answers are kept for `ttlMs` (1 s, so that a
 * revocation counts within 2 s), refusals too but apart, so that a flood of wrong tokens displaces no caller; concurrent
 * verifications of one token share a look-up. While look-ups fail, callers known in the last `outageMs` (30 s) stay who they were;
 * for `ttlMs` after a failure nobody waits for the next.
 */
export function createTokenVerifier({
  lookup,
  now = Date.now,
  ttlMs = 1000,
  outageMs = 30_000,
}: TokenVerifierOptions): TokenVerifier {
  const callers = createCache<Caller>(ttlMs, now);
  const known = createCache<Caller>(outageMs, now);
  const refusals = createCache<true>(ttlMs, now);
  const running = new Map<string, Promise<Caller>>();
  let failedAt = -Infinity;

  async function find(key: string, secret: string, requestId: string | undefined): Promise<Caller> {
    const startedAt = now();
    try {
      const caller = Object.freeze(await lookup(secret, requestId));
      // Counted from the question, not from the answer, so that a slow look-up keeps nobody in for longer.
      callers.set(key, caller, { start: startedAt });
      known.set(key, caller, { start: startedAt });
      return caller;
    } catch (error) {
      if (getProblemFacts(error).code === Code.Unauthenticated) {
        refusals.set(key, true, { start: startedAt });
        known.delete(key);
        throw refusal();
      }
      failedAt = now();
      const caller = known.get(key);
      if (caller !== undefined) return caller;
      throw unavailable("IDENTITY_UNAVAILABLE", "Tokens cannot be verified at the moment.", error);
    }
  }

  /** The caller by a look-up: the one under way for this token, else a new one. */
  function search(key: string, secret: string, requestId: string | undefined): Promise<Caller> {
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const started = find(key, secret, requestId).finally(() => running.delete(key));
    running.set(key, started);
    return started;
  }

  /** A known caller, when look-ups failed a moment ago: the next one, which says when that is over, is nobody's to wait for. */
  function knownMeanwhile(key: string, secret: string, requestId: string | undefined): Caller | undefined {
    if (now() - failedAt >= ttlMs) return undefined;
    const caller = known.get(key);
    if (caller !== undefined) search(key, secret, requestId).catch(() => undefined);
    return caller;
  }

  return {
    async verify(authorization, requestId) {
      const secret = parseSecret(authorization);
      const key = getKey(secret);
      const caller = callers.get(key);
      if (caller !== undefined) return caller;
      if (refusals.get(key) !== undefined) throw refusal();
      return knownMeanwhile(key, secret, requestId) ?? search(key, secret, requestId);
    },
    async refresh(authorization, requestId) {
      const secret = parseSecret(authorization);
      const key = getKey(secret);
      return knownMeanwhile(key, secret, requestId) ?? find(key, secret, requestId);
    },
  };
}

/** Creates a cache whose entries expire when they are `ttlMs` old. */
function createCache<Value extends object | true>(ttlMs: number, now: () => number): LRUCache<string, Value> {
  // LRUCache keeps an entry until it is older than the TTL, so its clock is ahead by one millisecond.
  return new LRUCache({ max: maxEntries, ttl: ttlMs, ttlResolution: 0, perf: { now: () => now() + 1 } });
}

/** What a token is remembered by; the token itself is kept nowhere. */
function getKey(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("base64");
}

function parseSecret(authorization: string | undefined): string {
  if (authorization === undefined || authorization === "") {
    throw unauthenticated("TOKEN_MISSING", "Send a token in the header Authorization: Bearer <API_TOKEN>.");
  }
  const secret = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (secret === undefined || !isTokenSecret(secret)) throw refusal();
  return secret;
}

function refusal(): Error {
  return unauthenticated("TOKEN_INVALID", "The token is not valid.");
}
