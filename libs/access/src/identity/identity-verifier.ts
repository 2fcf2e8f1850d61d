import type { DescMethod } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { forbidden, unauthenticated } from "@switchyard/rpc";
import { createSecretKey } from "node:crypto";
import { identityKey } from "../caller.ts";
import type { Identity } from "../caller.ts";
import { createIdentityReader, identityHeader } from "./identity-claims.ts";
import type { IdentityKeys } from "./identity-keys.ts";
import { declaredPermission, hasPermission, permissionName } from "../permissions.ts";

/** The verifying service. `now` returns the time in milliseconds. */
export interface IdentityVerifierOptions {
  audience: string;
  keys: IdentityKeys;
  now?: () => number;
}

/** The services that need no identity. They contain no data of organizations. */
const openServices: readonly string[] = [
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
];

/** The service that acts for external callers, and for itself only to look them up. */
const gateway = "gateway";

/**
 * Creates the server interceptor for identities between services. It rejects calls without a valid identity (Unauthenticated), sets the
 * context value `identityKey`, and enforces the permission that the method declares (PermissionDenied).
 */
export function identityVerifier({ audience, keys, now = Date.now }: IdentityVerifierOptions): Interceptor {
  const readIdentity = createIdentityReader(audience, createSecretKey(keys.getKey(audience)));
  // Reading an option of a method takes as long as everything else here.
  const permissions = new Map<DescMethod, Permission>();
  const getPermission = (method: DescMethod): Permission => {
    const known = permissions.get(method) ?? declaredPermission(method);
    permissions.set(method, known);
    return known;
  };
  return (next) => (request) => {
    if (openServices.includes(request.service.typeName)) return next(request);
    const identity = readIdentity(request.header.get(identityHeader), now());
    if (identity === undefined) {
      throw unauthenticated("IDENTITY_INVALID", "The call does not contain a valid identity of a service.");
    }
    // Set before the call can be rejected, so that outer interceptors know the identity.
    request.contextValues.set(identityKey, identity);
    requirePermission(identity, getPermission(request.method));
    return next(request);
  };
}

/**
 * Throws unless the identity may call a method that declares this permission. A method for services requires a service other than the
 * gateway, or the gateway acting for itself. Every other method requires a caller with the permission.
 */
export function requirePermission({ service, caller }: Identity, wanted: Permission): void {
  if (wanted === Permission.SERVICE) {
    if (service === gateway && caller !== undefined) {
      throw forbidden("SERVICE_ONLY", "Only services may call this method.");
    }
    return;
  }
  if (caller === undefined) throw unauthenticated("CALLER_MISSING", "This method requires a token.");
  if (hasPermission(caller, wanted)) return;
  throw forbidden("MISSING_PERMISSION", `The token lacks the permission ${permissionName(wanted)}.`, {
    permission: permissionName(wanted),
  });
}
