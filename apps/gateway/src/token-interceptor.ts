import type { Interceptor } from "@connectrpc/connect";
import { withIdentity, type TokenVerifier } from "@switchyard/access";

/** The service that the gateway is, to those it calls. */
export const gatewayService = "gateway";

/**
 * Checks the bearer token of every call but health and reflection, before anything of its body is looked at, and puts the caller
 * among the context values.
 */
export function tokenInterceptor(verifier: Pick<TokenVerifier, "verify">): Interceptor {
  return (next) => async (request) => {
    if (!request.service.typeName.startsWith("grpc.")) {
      const caller = await verifier.verify(request.header.get("authorization") ?? undefined);
      withIdentity({ service: gatewayService, caller }, request.contextValues);
    }
    return next(request);
  };
}
