import { hkdfSync } from "node:crypto";

/** The keys that sign identities, one for each audience. */
export interface IdentityKeys {
  /** Returns the 32-byte key of an audience. */
  getKey(audience: string): Uint8Array;
}

/**
 * Derives a key for each audience from a root secret (HKDF-SHA-256, RFC 5869, with the audience in the info field), so that an identity
 * that is signed for one service is invalid for another. Throws if the secret is shorter than 32 bytes.
 */
export function createIdentityKeys(secret: Uint8Array): IdentityKeys {
  assertLongEnough(secret);
  return { getKey: (audience) => derive(secret, `switchyard identity v1 ${audience}`) };
}

/** Derives the 32-byte key of token digests. Throws if the secret is shorter than 32 bytes. */
export function createTokenPepper(secret: Uint8Array): Uint8Array {
  return derive(secret, "switchyard token digest v1");
}

/** Derives the 32-byte key of a service's page tokens. Throws if the secret is shorter than 32 bytes. */
export function createPageTokenKey(secret: Uint8Array, service: string): Uint8Array {
  return derive(secret, `switchyard page token v1 ${service}`);
}

function derive(secret: Uint8Array, info: string): Uint8Array {
  assertLongEnough(secret);
  return new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(0), info, 32));
}

function assertLongEnough(secret: Uint8Array): void {
  if (secret.length < 32) throw new Error("The root secret needs at least 32 bytes");
}
