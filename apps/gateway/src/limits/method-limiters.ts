import type { DescMethod } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { wrapTransport } from "../forwarding/wrapped-transport.ts";
import { createConcurrencyLimiter, overloaded } from "./concurrency-limiter.ts";
import type { ConcurrencyLimits, ConcurrencyLimiter } from "./concurrency-limiter.ts";

/** The concurrency limiters of all methods. */
export interface MethodLimiters {
  /** Returns the limiter of a method. */
  (method: DescMethod): ConcurrencyLimiter;
  /** Returns whether a call of any method was refused within the last second. */
  areRefusing(): boolean;
}

/** How long further refusals are expected after a refusal. */
const refusalWindowMs = 1_000;

/** Creates one concurrency limiter per method, each with the given limits. */
export function createMethodLimiters(limits: ConcurrencyLimits): MethodLimiters {
  const methods = new Map<DescMethod, ConcurrencyLimiter>();
  let refusedAt = -Infinity;

  function getLimiter(method: DescMethod): ConcurrencyLimiter {
    const limiter = methods.get(method) ?? createConcurrencyLimiter(limits, () => (refusedAt = performance.now()));
    methods.set(method, limiter);
    return limiter;
  }
  return Object.assign(getLimiter, { areRefusing: () => performance.now() - refusedAt < refusalWindowMs });
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
  return wrapTransport(transport, {
    async unary({ method, signal }, send) {
      const release = await getLimiter(method).acquire(signal);
      try {
        return await send();
      } finally {
        release();
      }
    },
    async stream({ method, signal, input }, send) {
      if (method.methodKind !== "client_streaming") return send();
      let release = (): void => undefined;
      // A service may fail while its call still waits. The place that the call acquires afterwards is released at once.
      const ended = new AbortController();
      async function* limited<Input>(messages: AsyncIterable<Input>): AsyncGenerator<Input> {
        yield* messages;
        release = await getLimiter(method).acquire(signal);
        if (ended.signal.aborted) release();
      }
      async function* limitedOutput<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
        try {
          yield* messages;
        } finally {
          ended.abort();
          release();
        }
      }
      try {
        const response = await send({ input: limited(input) });
        return { ...response, message: limitedOutput(response.message) };
      } catch (error) {
        ended.abort();
        release();
        throw error;
      }
    },
  });
}
