import { createContextKey } from "@connectrpc/connect";
import { withIdentity, type TokenVerifier } from "@switchyard/access";
import { type Admit, noteRequestId, refuseRemoved } from "@switchyard/rpc";
import { refuseOverloaded, type MethodTurns } from "./overload.ts";

/** The service that the gateway is, to those it calls. */
export const gatewayService = "gateway";

/** The Authorization header of the request, for a second look at its token. */
export const authorizationKey = createContextKey<string | undefined>(undefined, {
  description: "the request's Authorization header",
});

/**
 * Takes a call when its bearer token is one, its method was not removed, and it would get its turn; puts the caller among its values. It
 * needs the headers only, so that nothing of the body is read for those who may not call.
 */
export function admitByToken(verifier: Pick<TokenVerifier, "verify">, getTurns: MethodTurns): Admit {
  return async ({ method, header, values }) => {
    const authorization = header.get("authorization") ?? undefined;
    const caller = await verifier.verify(authorization, noteRequestId(header, values));
    withIdentity({ service: gatewayService, caller }, values).set(authorizationKey, authorization);
    refuseRemoved(method);
    refuseOverloaded(method, getTurns);
  };
}
