import type { Interceptor } from "@connectrpc/connect";
import { clientInterceptors, serverInterceptors } from "@switchyard/rpc";
import type { Logger } from "@switchyard/rpc";
import type { IdentityKeys } from "./identity-keys.ts";
import { identitySigner } from "./identity-signer.ts";
import { identityVerifier } from "./identity-verifier.ts";

/** Creates the interceptors of a service's server. Calls without a signed identity for this audience are rejected. */
export function serviceServerInterceptors(options: {
  audience: string;
  keys: IdentityKeys;
  logger: Logger;
}): Interceptor[] {
  const { audience, keys, logger } = options;
  return [...serverInterceptors({ logger }), identityVerifier({ audience, keys })];
}

/** Creates the interceptors of a service's client. Every call carries the signed identity of the service and its caller. */
export function serviceClientInterceptors(options: {
  service: string;
  audience: string;
  keys: IdentityKeys;
}): Interceptor[] {
  return [...clientInterceptors(), identitySigner(options)];
}
