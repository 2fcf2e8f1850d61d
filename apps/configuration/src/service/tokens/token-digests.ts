import { computeTokenDigest } from "@switchyard/access";
import { createHash, createSecretKey, timingSafeEqual } from "node:crypto";

/** Computes the digests of token secrets, which are stored instead of the secrets. */
export interface TokenDigests {
  /** The id of the pepper, which shows which digests were computed with it. */
  readonly kid: string;
  digest(secret: string): string;
  /** Whether a stored digest is that of a secret. Takes the same time wherever they differ. */
  matches(stored: { digest: string; kid: string }, secret: string): boolean;
}

/** Creates digests with a pepper. */
export function createTokenDigests(pepper: Uint8Array): TokenDigests {
  const kid = createHash("sha256").update("switchyard pepper id").update(pepper).digest("hex").slice(0, 8);
  const key = createSecretKey(pepper);
  const digest = (secret: string): string => computeTokenDigest(key, secret);
  return {
    kid,
    digest,
    matches(stored, secret) {
      const given = Buffer.from(digest(secret), "hex");
      const known = Buffer.from(stored.digest, "hex");
      return stored.kid === kid && given.length === known.length && timingSafeEqual(given, known);
    },
  };
}
