import type {
  DescMessage,
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  MessageInitShape,
} from "@bufbuild/protobuf";
import type { ContextValues, StreamResponse, Transport, UnaryResponse } from "@connectrpc/connect";
import { createConcurrencyLimiter, overloaded } from "./concurrency-limiter.ts";
import type { ConcurrencyLimits, ConcurrencyLimiter } from "./concurrency-limiter.ts";

/** Returns the concurrency limiter of a method. */
export type MethodLimiters = (method: DescMethod) => ConcurrencyLimiter;

/** Creates one concurrency limiter per method, each with the given limits. */
export function createMethodLimiters(limits: ConcurrencyLimits): MethodLimiters {
  const methods = new Map<DescMethod, ConcurrencyLimiter>();
  return (method) => {
    const limiter = methods.get(method) ?? createConcurrencyLimiter(limits);
    methods.set(method, limiter);
    return limiter;
  };
}

/**
 * Throws Unavailable (OVERLOADED) for a unary call that its concurrency limiter would refuse. Calling this before the body is read
 * keeps refusals cheap: when most calls are refused, their cost decides how long the others take.
 */
export function refuseOverloaded(method: DescMethod, getLimiter: MethodLimiters): void {
  if (method.methodKind === "unary" && getLimiter(method).refuses()) throw overloaded();
}

/**
 * Wraps a transport with one concurrency limiter per method, so that a flood of calls to one method neither queues work whose callers
 * have given up nor blocks other methods. A client stream acquires its place after its last message: only then does the work start,
 * and slow senders block nobody. Calls with a response stream are not limited, because their duration says nothing about their work.
 */
export function withConcurrencyLimits(transport: Transport, getLimiter: MethodLimiters): Transport {
  return {
    async unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      header: ConstructorParameters<typeof Headers>[0],
      input: MessageInitShape<I>,
      values?: ContextValues,
    ): Promise<UnaryResponse<I, O>> {
      const release = await getLimiter(method).acquire(signal);
      try {
        return await transport.unary(method, signal, timeoutMs, header, input, values);
      } finally {
        release();
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
      if (method.methodKind !== "client_streaming") {
        return transport.stream(method, signal, timeoutMs, header, input, values);
      }
      let release = (): void => undefined;
      // A service may fail while its call still waits. The place that the call acquires afterwards is released at once.
      const over = new AbortController();
      async function* limited(): AsyncGenerator<MessageInitShape<I>> {
        yield* input;
        release = await getLimiter(method).acquire(signal);
        if (over.signal.aborted) release();
      }
      async function* answered<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
        try {
          yield* messages;
        } finally {
          over.abort();
          release();
        }
      }
      try {
        const answer = await transport.stream(method, signal, timeoutMs, header, limited(), values);
        return { ...answer, message: answered(answer.message) };
      } catch (error) {
        over.abort();
        release();
        throw error;
      }
    },
  };
}
