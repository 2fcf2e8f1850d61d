import type { DescMessage, DescMethodStreaming, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import type { ContextValues, StreamResponse, Transport, UnaryResponse } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { identityKey, withIdentity, type TokenVerifier } from "@switchyard/access";
import { getProblemFacts, requestIdKey } from "@switchyard/rpc";
import { watchAccess, type AccessWatch } from "./access-watch.ts";
import { authorizationKey, gatewayService } from "./token-admission.ts";

/**
 * A transport on which nobody is refused for what they were granted a moment ago. A caller is remembered for a second, and what is
 * granted counts with the answer: so a unary call that is refused is made once more when the token, looked up anew, says something
 * else. A refusal has changed nothing, so this is safe for every method. Streams, which cannot be made again, look first, and end
 * when access is lost while they are open.
 */
export function withCurrentCaller(
  transport: Transport,
  verifier: Pick<TokenVerifier, "verify" | "refresh">,
): Transport {
  async function look(values: ContextValues): Promise<boolean> {
    const before = JSON.stringify(values.get(identityKey)?.caller);
    const caller = await verifier.refresh(values.get(authorizationKey), values.get(requestIdKey));
    withIdentity({ service: gatewayService, caller }, values);
    return JSON.stringify(caller) !== before;
  }

  return {
    async unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      header: ConstructorParameters<typeof Headers>[0],
      input: MessageInitShape<I>,
      values?: ContextValues,
    ): Promise<UnaryResponse<I, O>> {
      try {
        return await transport.unary(method, signal, timeoutMs, header, input, values);
      } catch (error) {
        if (values === undefined || getProblemFacts(error).code !== Code.PermissionDenied || !(await look(values)))
          throw error;
        return transport.unary(method, signal, timeoutMs, header, input, values);
      }
    },
    async stream<I extends DescMessage, O extends DescMessage>(
      method: DescMethodStreaming<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      header: ConstructorParameters<typeof Headers>[0],
      input: AsyncIterable<MessageInitShape<I>>,
      values?: ContextValues,
    ): Promise<StreamResponse<I, O>> {
      if (values === undefined) return transport.stream(method, signal, timeoutMs, header, input, values);
      await look(values);
      const watch = watchAccess(verifier, values);
      signal?.addEventListener("abort", () => watch.stop(), { once: true });
      const left = new AbortController();
      try {
        const either = AbortSignal.any([watch.signal, left.signal, ...(signal === undefined ? [] : [signal])]);
        const answer = await transport.stream(method, either, timeoutMs, header, input, values);
        return { ...answer, message: watched(answer.message, watch, left) };
      } catch (error) {
        watch.stop();
        throw error;
      }
    },
  };
}

/** Passes a stream on under the watch. One that is left early is aborted: its call, and its deadline's timer, would go on. */
async function* watched<T>(
  messages: AsyncIterable<T>,
  watch: AccessWatch,
  left: AbortController,
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
      left.abort();
      // A call of Connect cleans up when it is asked for more, and not before.
      await iterator.next().catch(() => undefined);
    }
  }
}
