import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ContextValues, Transport } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { identityKey, withIdentity, type TokenVerifier } from "@switchyard/access";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { getProblemFacts, requestIdKey } from "@switchyard/rpc";
import { wrapTransport } from "../forwarding/wrapped-transport.ts";
import { watchAccess, type AccessWatch } from "./access-watch.ts";
import { authorizationKey, gatewayService } from "./token-admission.ts";

/**
 * Wraps a transport so that new grants take effect at once, although the verifier caches callers for a second. A unary call that is
 * refused is repeated once if a fresh lookup of the token returns a different caller. A refused call has changed nothing, so this is
 * safe for every method. Streams cannot be repeated: they look the caller up first, and end when the caller loses access.
 *
 * After a change of tokens, teams or projects, the callers of the organization are no longer cached. A revoked token is therefore refused
 * at once by the gateway that revoked it, and responses that a caller's projects narrow without a refusal, such as lists, are up to date.
 */
export function withCurrentCaller(
  transport: Transport,
  verifier: Pick<TokenVerifier, "verify" | "refresh" | "forget">,
): Transport {
  async function refreshCaller(values: ContextValues): Promise<boolean> {
    const before = JSON.stringify(values.get(identityKey)?.caller);
    const caller = await verifier.refresh(values.get(authorizationKey), values.get(requestIdKey));
    withIdentity({ service: gatewayService, caller }, values);
    return JSON.stringify(caller) !== before;
  }

  return wrapTransport(transport, {
    async unary({ method, values }, send) {
      const response = await send().catch(async (error: unknown) => {
        const isRefused = getProblemFacts(error).code === Code.PermissionDenied;
        if (values === undefined || !isRefused || !(await refreshCaller(values))) throw error;
        return send();
      });
      const organizationId = values?.get(identityKey)?.caller?.organizationId;
      if (organizationId !== undefined && changesAccess(method)) verifier.forget(organizationId);
      return response;
    },
    async stream({ signal, values }, send) {
      if (values === undefined) return send();
      await refreshCaller(values);
      const watch = watchAccess(verifier, values);
      signal?.addEventListener("abort", () => watch.stop(), { once: true });
      const abandoned = new AbortController();
      try {
        const ended = AbortSignal.any([watch.signal, abandoned.signal, ...(signal === undefined ? [] : [signal])]);
        const response = await send({ signal: ended });
        return { ...response, message: watched(response.message, watch, abandoned) };
      } catch (error) {
        watch.stop();
        throw error;
      }
    },
  });
}

/** Returns whether a method can change which tokens are valid, or what they have access to. */
function changesAccess(method: DescMethod): boolean {
  return method.parent.typeName === IdentityService.typeName && method.idempotency !== IdempotencyLevel.NO_SIDE_EFFECTS;
}

/** Forwards a stream under the watch. Aborts the call when its reader stops early, since the call and its timer would continue. */
async function* watched<T>(
  messages: AsyncIterable<T>,
  watch: AccessWatch,
  abandoned: AbortController,
): AsyncGenerator<T, void> {
  const iterator = messages[Symbol.asyncIterator]();
  let open = true;
  const next = async (): Promise<IteratorResult<T>> => {
    open = false;
    const result = await iterator.next();
    open = result.done !== true;
    return result;
  };
  try {
    for (let result = await next(); result.done !== true; result = await next()) yield result.value;
  } finally {
    watch.stop();
    if (open) {
      abandoned.abort();
      // Connect cleans a call up only when the next message is requested.
      await iterator.next().catch(() => undefined);
    }
  }
}
