import type { DescMethod } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { wrapTransport } from "../forwarding/wrapped-transport.ts";
import { createConcurrencyLimiter, overloaded } from "./concurrency-limiter.ts";
import type { ConcurrencyLimits, ConcurrencyLimiter, Release } from "./concurrency-limiter.ts";
import { createEngineClassifiers, failedByEngine, neededEngine } from "./engine-waits.ts";

/** The concurrency limiters of all methods. */
export interface MethodLimiters {
  /** Returns the limiter of a method, or of those of its calls that wait for language models, if the request is known to be one. */
  (method: DescMethod, request?: unknown): ConcurrencyLimiter;
  /** Notes that requests like this one wait for language models. */
  noteEngine(request: unknown): void;
  /** Returns whether a call of any method was refused within the last second. */
  areRefusing(): boolean;
}

/** How long further refusals are expected after a refusal. */
const refusalWindowMs = 1_000;

/**
 * Creates one concurrency limiter per method, each with the given limits, and another one for its calls that wait for language models: an
 * endpoint that hangs does not block documents that do not need it.
 */
export function createMethodLimiters(limits: ConcurrencyLimits): MethodLimiters {
  const own = new Map<DescMethod, ConcurrencyLimiter>();
  const ofEngines = new Map<DescMethod, ConcurrencyLimiter>();
  const classifiers = createEngineClassifiers();
  let refusedAt = -Infinity;

  function getLimiter(method: DescMethod, request?: unknown): ConcurrencyLimiter {
    const methods = classifiers.has(request) ? ofEngines : own;
    const limiter = methods.get(method) ?? createConcurrencyLimiter(limits, () => (refusedAt = performance.now()));
    methods.set(method, limiter);
    return limiter;
  }
  return Object.assign(getLimiter, {
    noteEngine: (request: unknown) => classifiers.note(request),
    areRefusing: () => performance.now() - refusedAt < refusalWindowMs,
  });
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
 * How long calls wait for language models does not lower the limits, so that an endpoint that hangs does not keep out other documents.
 */
export function withConcurrencyLimits(transport: Transport, getLimiter: MethodLimiters): Transport {
  const note = (request: unknown): "idle" => {
    getLimiter.noteEngine(request);
    return "idle";
  };
  return wrapTransport(transport, {
    async unary({ method, signal, message: request }, send) {
      const limiter = getLimiter(method, request);
      const release = limiter.acquireAtOnce(signal) ?? (await limiter.acquire(signal));
      try {
        const response = await send();
        if (neededEngine((response as { message?: unknown }).message)) release(note(request));
        return response;
      } catch (error) {
        if (failedByEngine(error)) release(note(request));
        throw error;
      } finally {
        release();
      }
    },
    async stream({ method, signal, input }, send) {
      if (method.methodKind !== "client_streaming") return send();
      let release: Release = () => undefined;
      let idle: "idle" | undefined;
      let first: unknown;
      // A service may fail while its call still waits. The place that the call acquires afterwards is released at once.
      const ended = new AbortController();
      async function* limited<Input>(messages: AsyncIterable<Input>): AsyncGenerator<Input> {
        for await (const message of messages) {
          first ??= message;
          yield message;
        }
        release = await getLimiter(method, first).acquire(signal);
        if (ended.signal.aborted) release();
      }
      async function* limitedOutput<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
        try {
          for await (const message of messages) {
            if (neededEngine(message)) idle = note(first);
            yield message;
          }
        } catch (error) {
          if (failedByEngine(error)) idle = note(first);
          throw error;
        } finally {
          ended.abort();
          release(idle);
        }
      }
      try {
        const response = await send({ input: limited(input) });
        return { ...response, message: limitedOutput(response.message) };
      } catch (error) {
        ended.abort();
        release(failedByEngine(error) ? note(first) : undefined);
        throw error;
      }
    },
  });
}
