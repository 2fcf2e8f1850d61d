import { tokenDigest } from "@switchyard/access";
import { createHash, timingSafeEqual } from "node:crypto";

/** How token secrets become what is stored of them. */
export interface TokenDigests {
  /** Names the pepper, so that one can tell which digests were made with which. */
  readonly kid: string;
  digest(secret: string): string;
  /** Whether a stored digest is that of the secret, in a time that does not depend on where they differ. */
  matches(stored: { digest: string; kid: string }, secret: string): boolean;
}

/** Digests under one pepper. */
export function createTokenDigests(pepper: Uint8Array): TokenDigests {
  const kid = createHash("sha256").update("switchyard pepper id").update(pepper).digest("hex").slice(0, 8);
  const digest = (secret: string): string => tokenDigest(pepper, secret);
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
