import { Code } from "@connectrpc/connect";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { getProblemFacts, unauthenticated, unavailable } from "@switchyard/rpc";
import { LRUCache } from "lru-cache";
import { hash } from "node:crypto";
import { freezeCaller } from "../caller.ts";
import { isTokenSecret } from "./token-secret.ts";

/** Verifies Authorization headers. */
export interface TokenVerifier {
  /** Returns the caller of a bearer token. Throws Unauthenticated, or Unavailable if the token cannot be looked up. */
  verify(authorization: string | undefined, requestId?: string): Promise<Caller>;
  /** Like `verify`, but always looks the token up. For a second check before a caller is rejected. */
  refresh(authorization: string | undefined, requestId?: string): Promise<Caller>;
  /** Returns the caller of a bearer token if `verify` would return it without a lookup, and undefined otherwise or for an invalid token. */
  recall(authorization: string | undefined): Caller | undefined;
  /** Looks the tokens of an organization up again when they are next verified. For changes of access that were made through this process. */
  forget(organizationId: string): void;
}

/**
 * The options of a verifier. `lookup` throws Unauthenticated for an invalid secret. Every other error means that the token cannot be looked
 * up. `lookup` receives the id of the request that causes it, if it is known.
 */
export interface TokenVerifierOptions {
  lookup: (secret: string, requestId: string | undefined) => Promise<Caller>;
  now?: () => number;
}

const maxEntries = 10_000;
/** The time for which a result is cached. */
const ttlMs = 1_000;
/** The time for which a caller stays known while lookups fail. */
const outageMs = 30_000;

/**
 * Creates a verifier of bearer tokens that makes few lookups. Malformed tokens are rejected without one. Results are cached for `ttlMs` (1
 * s, so that a revocation takes effect within 2 s), with rejections in a separate cache, so that many invalid tokens do not evict callers.
 * Concurrent verifications of a token share a lookup. While lookups fail, callers of the last `outageMs` (30 s) stay valid, and for `ttlMs`
 * after a failure they do not wait for another lookup.
 */
export function createTokenVerifier({ lookup, now = Date.now }: TokenVerifierOptions): TokenVerifier {
  const callers = createCache<Caller>(ttlMs, now);
  const known = createCache<Caller>(outageMs, now);
  const refusals = createCache<true>(ttlMs, now);
  const running = new Map<string, Promise<Caller>>();
  let failedAt = -Infinity;
  let changes = 0;

  async function lookUp(key: string, secret: string, requestId: string | undefined): Promise<Caller> {
    const startedAt = now();
    const changesBefore = changes;
    try {
      const caller = freezeCaller(await lookup(secret, requestId));
      // The age is counted from the start of the lookup, so that a slow lookup does not extend the validity.
      if (changes === changesBefore) callers.set(key, caller, { start: startedAt });
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

  /** Looks a caller up, or joins the lookup of this token that is in progress. */
  function lookUpOnce(key: string, secret: string, requestId: string | undefined): Promise<Caller> {
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const started = lookUp(key, secret, requestId).finally(() => {
      if (running.get(key) === started) running.delete(key);
    });
    running.set(key, started);
    return started;
  }

  /**
   * Returns a known caller if lookups failed within the last `ttlMs`. The caller does not wait for the next lookup, which shows whether the
   * failure has ended.
   */
  function getCallerDuringOutage(key: string, secret: string, requestId: string | undefined): Caller | undefined {
    if (now() - failedAt >= ttlMs) return undefined;
    const caller = known.get(key);
    if (caller !== undefined) lookUpOnce(key, secret, requestId).catch(() => undefined);
    return caller;
  }

  /** The form of the token is not checked, because only tokens that have it are cached. */
  function recall(authorization: string | undefined): Caller | undefined {
    const credentials = findCredentials(authorization ?? "");
    return credentials === undefined ? undefined : callers.get(getKey(credentials));
  }

  return {
    async verify(authorization, requestId) {
      const caller = recall(authorization);
      if (caller !== undefined) return caller;
      const secret = parseSecret(authorization);
      const key = getKey(secret);
      if (refusals.get(key) !== undefined) throw refusal();
      return getCallerDuringOutage(key, secret, requestId) ?? lookUpOnce(key, secret, requestId);
    },
    async refresh(authorization, requestId) {
      const secret = parseSecret(authorization);
      const key = getKey(secret);
      return getCallerDuringOutage(key, secret, requestId) ?? lookUp(key, secret, requestId);
    },
    recall,
    forget(organizationId) {
      for (const [key, caller] of callers.entries()) if (caller.organizationId === organizationId) callers.delete(key);
      // A lookup that is in progress may have read the state before the change. It is neither cached nor shared any more.
      changes += 1;
      running.clear();
    },
  };
}

/** Creates a cache whose entries expire when they are `ttl` milliseconds old. */
function createCache<Value extends object | true>(ttl: number, now: () => number): LRUCache<string, Value> {
  // LRUCache keeps an entry until it is older than the TTL, so its clock is ahead by one millisecond.
  return new LRUCache({ max: maxEntries, ttl, ttlResolution: 0, perf: { now: () => now() + 1 } });
}

/** Returns the cache key of a token. The token itself is not stored. */
function getKey(secret: string): string {
  return hash("sha256", secret, "base64");
}

function parseSecret(authorization: string | undefined): string {
  if (authorization === undefined || authorization === "") {
    throw unauthenticated("TOKEN_MISSING", "Send a token in the header Authorization: Bearer <API_TOKEN>.");
  }
  const secret = findSecret(authorization);
  if (secret === undefined) throw refusal();
  return secret;
}

/** Returns the token in an Authorization header; undefined if there is none, or if it is malformed. */
function findSecret(authorization: string): string | undefined {
  const secret = findCredentials(authorization);
  return secret !== undefined && isTokenSecret(secret) ? secret : undefined;
}

/** Returns the credentials in an Authorization header of the scheme Bearer. */
function findCredentials(authorization: string): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1];
}

function refusal(): Error {
  return unauthenticated("TOKEN_INVALID", "The token is not valid.");
}
