import type { Interceptor } from "@connectrpc/connect";
import { createContextKey } from "@connectrpc/connect";
import { withIdentity, type TokenVerifier } from "@switchyard/access";
import { requestIdKey } from "@switchyard/rpc";

/** The service that the gateway is, to those it calls. */
export const gatewayService = "gateway";

/** The Authorization header of the request, for a second look at its token. */
export const authorizationKey = createContextKey<string | undefined>(undefined, {
  description: "the request's Authorization header",
});

/**
 * Checks the bearer token of every call but health and reflection, before anything of its body is looked at, and puts the caller
 * among the context values.
 */
export function tokenInterceptor(verifier: Pick<TokenVerifier, "verify">): Interceptor {
  return (next) => async (request) => {
    if (!request.service.typeName.startsWith("grpc.")) {
      const authorization = request.header.get("authorization") ?? undefined;
      const caller = await verifier.verify(authorization, request.contextValues.get(requestIdKey));
      withIdentity({ service: gatewayService, caller }, request.contextValues).set(authorizationKey, authorization);
    }
    return next(request);
  };
}
