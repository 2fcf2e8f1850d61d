import { Code } from "@connectrpc/connect";
import type { Caller } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { factsOf, unauthenticated, unavailable } from "@switchyard/rpc";
import { createHash } from "node:crypto";
import { createRecentCache } from "./recent-cache.ts";
import { isTokenSecret } from "./token-secret.ts";

/** Turns an Authorization header into the caller. */
export interface TokenVerifier {
  /** The caller of a bearer token. Throws Unauthenticated, or Unavailable when that cannot be said now. */
  verify(authorization: string | undefined): Promise<Caller>;
  /** The same, looked up anew whatever is remembered: for a second look before a caller is refused. */
  refresh(authorization: string | undefined): Promise<Caller>;
}

/** `lookup` throws Unauthenticated for a secret that is no live token; every other error counts as "cannot be said now". */
export interface TokenVerifierOptions {
  lookup: (secret: string) => Promise<Caller>;
  now?: () => number;
  ttlMs?: number;
}

const capacity = 10_000;

/**
 * Verifies bearer tokens with few look-ups: malformed ones are refused without any, answers are kept for `ttlMs` (1 s, so that a
 * revocation counts within 2 s), refusals too but apart, so that a flood of wrong tokens displaces no caller; concurrent
 * verifications of one token share a look-up.
 */
export function createTokenVerifier({ lookup, now = Date.now, ttlMs = 1000 }: TokenVerifierOptions): TokenVerifier {
  const callers = createRecentCache<Caller>({ capacity, ttlMs, now });
  const refusals = createRecentCache<true>({ capacity, ttlMs, now });
  const running = new Map<string, Promise<Caller>>();

  async function find(key: string, secret: string): Promise<Caller> {
    const startedAt = now();
    try {
      const caller = Object.freeze(await lookup(secret));
      // Counted from the question, not from the answer, so that a slow look-up keeps nobody in for longer.
      callers.set(key, caller, startedAt);
      return caller;
    } catch (error) {
      if (factsOf(error).code !== Code.Unauthenticated) {
        throw unavailable("IDENTITY_UNAVAILABLE", "Tokens cannot be verified at the moment.", error);
      }
      refusals.set(key, true, startedAt);
      throw refusal();
    }
  }

  return {
    async verify(authorization) {
      const secret = secretOf(authorization);
      const key = keyOf(secret);
      const caller = callers.get(key);
      if (caller !== undefined) return caller;
      if (refusals.get(key) !== undefined) throw refusal();
      const shared = running.get(key);
      if (shared !== undefined) return shared;
      const search = find(key, secret).finally(() => {
        running.delete(key);
      });
      running.set(key, search);
      return search;
    },
    async refresh(authorization) {
      const secret = secretOf(authorization);
      return find(keyOf(secret), secret);
    },
  };
}

/** What a token is remembered by; the token itself is kept nowhere. */
function keyOf(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("base64");
}

function secretOf(authorization: string | undefined): string {
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
