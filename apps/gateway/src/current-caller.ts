import type { DescMessage, DescMethodStreaming, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import type { ContextValues, StreamResponse, Transport, UnaryResponse } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { identityKey, withIdentity, type TokenVerifier } from "@switchyard/access";
import { factsOf, requestIdKey } from "@switchyard/rpc";
import { authorizationKey, gatewayService } from "./token-interceptor.ts";

/**
 * A transport on which nobody is refused for what they were granted a moment ago. A caller is remembered for a second, and what is
 * granted counts with the answer: so a unary call that is refused is made once more when the token, looked up anew, says something
 * else. A refusal has changed nothing, so this is safe for every method. Streams, which cannot be made again, look first.
 */
export function withCurrentCaller(transport: Transport, verifier: Pick<TokenVerifier, "refresh">): Transport {
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
        if (values === undefined || factsOf(error).code !== Code.PermissionDenied || !(await look(values))) throw error;
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
      if (values !== undefined) await look(values);
      return transport.stream(method, signal, timeoutMs, header, input, values);
    },
  };
}
