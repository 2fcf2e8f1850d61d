import type { DescMethod } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { forbidden, unauthenticated } from "@switchyard/rpc";
import { identityKey } from "../caller.ts";
import type { Identity } from "../caller.ts";
import { identityHeader, readIdentity } from "./identity-claims.ts";
import type { IdentityKeys } from "./identity-keys.ts";
import { declaredPermission, hasPermission, permissionName } from "../permissions.ts";

/** Which service verifies. `now` is the clock, in milliseconds. */
export interface IdentityVerifierOptions {
  audience: string;
  keys: IdentityKeys;
  now?: () => number;
}

/** The services that answer anybody: they say nothing about anybody's data. */
const openServices: readonly string[] = [
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
];

/** The service that acts for callers from outside, and for itself only to learn who they are. */
const gateway = "gateway";

/**
 * The server side of the identity between services: refuses calls without a valid one (Unauthenticated), puts it among the
 * context values under `identityKey`, and enforces the permission that the method declares (PermissionDenied).
 */
export function identityVerifier({ audience, keys, now = Date.now }: IdentityVerifierOptions): Interceptor {
  const key = keys.keyFor(audience);
  return (next) => async (request) => {
    if (openServices.includes(request.service.typeName)) return await next(request);
    const identity = readIdentity(request.header.get(identityHeader), audience, key, now());
    if (identity === undefined) {
      throw unauthenticated("IDENTITY_INVALID", "The call carries no valid identity of a service.");
    }
    // Before anything is refused, so that interceptors further out can say who was.
    request.contextValues.set(identityKey, identity);
    requirePermission(identity, request.method);
    return await next(request);
  };
}

/**
 * Throws unless the identity may call the method: a method for services only when a service other than the gateway acts, or the
 * gateway for nobody but itself; every other method only for a caller who has the permission that it declares.
 */
export function requirePermission({ service, caller }: Identity, method: DescMethod): void {
  const wanted = declaredPermission(method);
  if (wanted === Permission.SERVICE) {
    if (service === gateway && caller !== undefined) {
      throw forbidden("SERVICE_ONLY", "Only services may call this method.");
    }
    return;
  }
  if (caller === undefined) throw unauthenticated("CALLER_MISSING", "This method needs a caller.");
  if (hasPermission(caller, wanted)) return;
  throw forbidden("MISSING_PERMISSION", `The token lacks the permission ${permissionName(wanted)}.`, {
    permission: permissionName(wanted),
  });
}
