import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Identity } from "../caller.ts";

/** The validity of a signed identity, in milliseconds. */
export const identityLifetimeMs = 60_000;
/** The tolerated difference between the clocks of two machines, in milliseconds. */
const clockSkewMs = 5_000;

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
export function signIdentity(identity: Identity, audience: string, key: Uint8Array, now: number): string {
  const claims: Claims = { service: identity.service, audience, expiresAt: now + identityLifetimeMs };
  const caller = identity.caller === undefined ? new Uint8Array(0) : toBinary(CallerSchema, identity.caller);
  const payload = `${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${Buffer.from(caller).toString("base64url")}`;
  return `${payload}.${getSignature(payload, key).toString("base64url")}`;
}

/**
 * Reads the identity from a header. Returns undefined if the header is missing, malformed, tampered with, expired or for another audience.
 */
export function readIdentity(
  header: string | null,
  audience: string,
  key: Uint8Array,
  now: number,
): Identity | undefined {
  const parts = header?.split(".") ?? [];
  const [claimsPart, callerPart, signature] = parts;
  if (claimsPart === undefined || callerPart === undefined || signature === undefined || parts.length > 3)
    return undefined;
  const expected = getSignature(`${claimsPart}.${callerPart}`, key);
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  // The signature is valid, so the content was written by a holder of the key.
  const claims = JSON.parse(Buffer.from(claimsPart, "base64url").toString("utf8")) as Claims;
  if (claims.audience !== audience) return undefined;
  if (claims.expiresAt <= now || claims.expiresAt > now + identityLifetimeMs + clockSkewMs) return undefined;
  return {
    service: claims.service,
    caller: callerPart === "" ? undefined : fromBinary(CallerSchema, Buffer.from(callerPart, "base64url")),
  };
}

function getSignature(payload: string, key: Uint8Array): Buffer {
  return createHmac("sha256", key).update(payload).digest();
}
