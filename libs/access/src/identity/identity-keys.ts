import { hkdfSync } from "node:crypto";

/** The keys with which identities are signed, one for each service that is called. */
export interface IdentityKeys {
  /** The 32-byte key of the service with this name. */
  keyFor(audience: string): Uint8Array;
}

/**
 * Derives one key for each audience from one root secret (HKDF-SHA-256, RFC 5869, the audience in the info field), so that an
 * identity signed for one service is worthless at another. Throws for a secret under 32 bytes.
 */
export function createIdentityKeys(secret: Uint8Array): IdentityKeys {
  const keys = new Map<string, Uint8Array>();
  if (secret.length < 32) throw new Error("The root secret needs at least 32 bytes");
  return {
    keyFor(audience) {
      const known = keys.get(audience);
      if (known !== undefined) return known;
      const key = derive(secret, `switchyard identity v1 ${audience}`);
      keys.set(audience, key);
      return key;
    },
  };
}

/** The 32-byte key with which the digests of tokens are made. Throws for a secret under 32 bytes. */
export function createTokenPepper(secret: Uint8Array): Uint8Array {
  if (secret.length < 32) throw new Error("The root secret needs at least 32 bytes");
  return derive(secret, "switchyard token digest v1");
}

/** The 32-byte key with which a service signs its page tokens. Throws for a secret under 32 bytes. */
export function createPageTokenKey(secret: Uint8Array, service: string): Uint8Array {
  if (secret.length < 32) throw new Error("The root secret needs at least 32 bytes");
  return derive(secret, `switchyard page token v1 ${service}`);
}

function derive(secret: Uint8Array, info: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(0), info, 32));
}
