import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { LRUCache } from "lru-cache";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { freezeCaller } from "../caller.ts";
import type { Identity } from "../caller.ts";

/** The validity of a signed identity, in milliseconds. */
export const identityLifetimeMs = 60_000;
/** The tolerated difference between the clocks of two machines, in milliseconds. */
const clockSkewMs = 5_000;

/** The maximum length of all cached headers of one audience. */
const maxCachedCharacters = 4 * 1024 * 1024;

/** The header that carries a signed identity between services. */
export const identityHeader = "x-switchyard-identity";

interface Claims {
  service: string;
  audience: string;
  expiresAt: number;
}

/**
 * Signs an identity for one audience. The result has three parts, separated by dots: base64url of JSON claims, base64url of the caller's
 * message (empty if there is no caller), and base64url of the HMAC-SHA-256 of both.
 */
export function signIdentity(identity: Identity, audience: string, key: KeyObject, now: number): string {
  const claims: Claims = { service: identity.service, audience, expiresAt: now + identityLifetimeMs };
  const caller = identity.caller === undefined ? new Uint8Array(0) : toBinary(CallerSchema, identity.caller);
  const payload = `${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${Buffer.from(caller).toString("base64url")}`;
  return `${payload}.${getSignature(payload, key).toString("base64url")}`;
}

/** Reads the identity of a header at a time in milliseconds. Returns undefined if the header is missing or not valid. */
export type ReadIdentity = (header: string | null, now: number) => Identity | undefined;

/**
 * Creates the reader of identities for one audience. A header is not valid if it is malformed, tampered with, expired or for another
 * audience. Callers send the same header for a while (see `identitySigner`), so the identities of valid ones are cached.
 */
export function createIdentityReader(audience: string, key: KeyObject): ReadIdentity {
  const cache = new LRUCache<string, SignedIdentity>({
    maxSize: maxCachedCharacters,
    sizeCalculation: (_, header) => header.length,
  });
  return (header, now) => {
    if (header === null) return undefined;
    const known = cache.get(header);
    const signed = known ?? verifyIdentity(header, audience, key);
    if (signed === undefined) return undefined;
    if (known === undefined) cache.set(header, signed);
    const { identity, expiresAt } = signed;
    return expiresAt <= now || expiresAt > now + identityLifetimeMs + clockSkewMs ? undefined : identity;
  };
}

interface SignedIdentity {
  readonly identity: Identity;
  readonly expiresAt: number;
}

function verifyIdentity(header: string, audience: string, key: KeyObject): SignedIdentity | undefined {
  const parts = header.split(".");
  const [claimsPart, callerPart, signature] = parts;
  if (claimsPart === undefined || callerPart === undefined || signature === undefined || parts.length > 3)
    return undefined;
  const expected = getSignature(`${claimsPart}.${callerPart}`, key);
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  // The signature is valid, so the content was written by a holder of the key.
  const claims = JSON.parse(Buffer.from(claimsPart, "base64url").toString("utf8")) as Claims;
  if (claims.audience !== audience) return undefined;
  const caller = callerPart === "" ? undefined : fromBinary(CallerSchema, Buffer.from(callerPart, "base64url"));
  return {
    // Calls share the identity.
    identity: Object.freeze({ service: claims.service, caller: caller && freezeCaller(caller) }),
    expiresAt: claims.expiresAt,
  };
}

/** With the bytes of a key, `createHmac` would take five times as long. */
function getSignature(payload: string, key: KeyObject): Buffer {
  return createHmac("sha256", key).update(payload).digest();
}
