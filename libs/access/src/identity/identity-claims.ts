import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Identity } from "../caller.ts";

/** How long an identity is good for, in milliseconds. */
export const identityLifetimeMs = 60_000;
/** How far two machines' clocks may lie apart, in milliseconds. */
const clockSkewMs = 5_000;

/** The header that carries a signed identity between services. */
export const identityHeader = "x-switchyard-identity";

interface Claims {
  service: string;
  audience: string;
  expiresAt: number;
}

/**
 * An identity as compact signed claims for one audience, three parts with dots between them: base64url of JSON, base64url of the
 * caller's bytes (nothing for no caller), base64url of the HMAC-SHA-256 over both.
 */
export function signIdentity(identity: Identity, audience: string, key: Uint8Array, now: number): string {
  const claims: Claims = { service: identity.service, audience, expiresAt: now + identityLifetimeMs };
  const caller = identity.caller === undefined ? new Uint8Array(0) : toBinary(CallerSchema, identity.caller);
  const payload = `${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${Buffer.from(caller).toString("base64url")}`;
  return `${payload}.${getSignature(payload, key).toString("base64url")}`;
}

/** The identity in a header; undefined when it is missing, malformed, tampered with, expired or for another audience. */
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
  // From here on the header is what a holder of the key wrote.
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
