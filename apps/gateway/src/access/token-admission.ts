import { createContextKey } from "@connectrpc/connect";
import { withIdentity, type TokenVerifier } from "@switchyard/access";
import { type Admit, assignRequestId, refuseRemoved } from "@switchyard/rpc";
import { refuseOverloaded, type MethodLimiters } from "../limits/method-limiters.ts";

/** The name of the gateway in calls to services. */
export const gatewayService = "gateway";

/** The Authorization header of the request, for another lookup of its token. */
export const authorizationKey = createContextKey<string | undefined>(undefined, {
  description: "the request's Authorization header",
});

/**
 * Admits a call if its bearer token is valid, its method was not removed and its method is not overloaded. Sets the caller in the
 * context values. Only the headers are needed, so no body is read for callers without access.
 */
export function admitByToken(verifier: Pick<TokenVerifier, "verify">, getLimiter: MethodLimiters): Admit {
  return async ({ method, header, values }) => {
    const authorization = header.get("authorization") ?? undefined;
    const caller = await verifier.verify(authorization, assignRequestId(header, values));
    withIdentity({ service: gatewayService, caller }, values).set(authorizationKey, authorization);
    refuseRemoved(method);
    refuseOverloaded(method, getLimiter);
  };
}
