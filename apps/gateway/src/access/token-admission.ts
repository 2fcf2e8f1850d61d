import { createContextKey } from "@connectrpc/connect";
import { withIdentity, type TokenVerifier } from "@switchyard/access";
import { type Admit, assignRequestId, refuseRemoved } from "@switchyard/rpc";
import type { LimitRate } from "../rate-limit/rate-limit.ts";
import { refuseOverloaded, type MethodLimiters } from "../limits/method-limiters.ts";

/** The name of the gateway in calls to services. */
export const gatewayService = "gateway";

/** The Authorization header of the request, for another lookup of its token. */
export const authorizationKey = createContextKey<string | undefined>(undefined, {
  description: "the request's Authorization header",
});

/**
 * Admits a call if its bearer token is valid and within its rate limit, its method was not removed and its method is not overloaded. Sets
 * the caller in the context values. Only the headers are needed, so no body is read for callers without access.
 */
export function admitByToken(
  verifier: Pick<TokenVerifier, "verify">,
  limitRate: LimitRate,
  getLimiter: MethodLimiters,
): Admit {
  return async ({ method, header, values, responseHeader }) => {
    const authorization = header.get("authorization") ?? undefined;
    const caller = await verifier.verify(authorization, assignRequestId(header, values));
    withIdentity({ service: gatewayService, caller }, values).set(authorizationKey, authorization);
    await limitRate(caller, (name, value) => responseHeader.set(name, value));
    refuseRemoved(method);
    refuseOverloaded(method, getLimiter);
  };
}
