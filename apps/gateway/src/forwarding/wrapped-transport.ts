import type { DescMessage, DescMethod, MessageInitShape } from "@bufbuild/protobuf";
import type { ContextValues, StreamResponse, Transport, UnaryResponse } from "@connectrpc/connect";

/** A call on its way through a wrapped transport. */
interface WrappedCall {
  readonly method: DescMethod;
  readonly signal: AbortSignal | undefined;
  readonly values: ContextValues | undefined;
}

/** A unary call, whose request message is complete. */
export interface UnaryCall extends WrappedCall {
  readonly message: unknown;
}

/** A call with a stream of requests, a stream of responses, or both. */
export interface StreamCall<Input> extends WrappedCall {
  readonly input: AsyncIterable<Input>;
}

/** The parts of a streaming call that a wrapper replaces. The rest stays as it is. */
export interface ReplacedParts<Input> {
  readonly signal?: AbortSignal;
  readonly input?: AsyncIterable<Input>;
}

/** What happens around the calls of a transport. `send` makes the call; a wrapper that does not call it prevents the call. */
export interface TransportWrapper {
  unary<Response>(call: UnaryCall, send: () => Promise<Response>): Promise<Response>;
  stream<Input, Response extends { readonly message: AsyncIterable<unknown> }>(
    call: StreamCall<Input>,
    send: (replaced?: ReplacedParts<Input>) => Promise<Response>,
  ): Promise<Response>;
}

/** Wraps a transport: all of its calls go through the wrapper. */
export function wrapTransport(transport: Transport, wrapper: TransportWrapper): Transport {
  return {
    unary<I extends DescMessage, O extends DescMessage>(
      ...[method, signal, timeoutMs, header, message, values]: Parameters<typeof transport.unary<I, O>>
    ): Promise<UnaryResponse<I, O>> {
      const send = () => transport.unary(method, signal, timeoutMs, header, message, values);
      return wrapper.unary({ method, signal, values, message }, send);
    },
    stream<I extends DescMessage, O extends DescMessage>(
      ...[method, signal, timeoutMs, header, input, values]: Parameters<typeof transport.stream<I, O>>
    ): Promise<StreamResponse<I, O>> {
      const send = (replaced: ReplacedParts<MessageInitShape<I>> = {}) =>
        transport.stream(method, replaced.signal ?? signal, timeoutMs, header, replaced.input ?? input, values);
      return wrapper.stream({ method, signal, values, input }, send);
    },
  };
}
