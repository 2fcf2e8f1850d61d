import type {
  DescMessage,
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  MessageInitShape,
} from "@bufbuild/protobuf";
import type { ContextValues, StreamResponse, Transport, UnaryResponse } from "@connectrpc/connect";
import { createTurns, overloaded } from "./turns.ts";
import type { TurnLimits, Turns } from "./turns.ts";

/** The turns of each method. */
export type MethodTurns = (method: DescMethod) => Turns;

/** Creates the turns of methods, each with these limits of its own. */
export function createMethodTurns(limits: TurnLimits): MethodTurns {
  const methods = new Map<DescMethod, Turns>();
  return (method) => {
    const turns = methods.get(method) ?? createTurns(limits);
    methods.set(method, turns);
    return turns;
  };
}

/**
 * Throws Unavailable (OVERLOADED) for a unary call that would be refused its turn. Asked before the body is read, this makes a refusal
 * cheap: where most calls are refused, their cost decides how long the others take.
 */
export function refuseOverloaded(method: DescMethod, getTurns: MethodTurns): void {
  if (method.methodKind === "unary" && getTurns(method).refuses()) throw overloaded();
}

/**
 * A transport on which the calls of each method take turns, so that a flood of one method neither piles up work that nobody waits for
 * in the end nor holds up the others. A call that brings a stream takes its turn when that has arrived: only then does the work begin,
 * and slow senders hold up nobody. Calls whose answer is a stream are left alone: how long they last says nothing about work.
 */
export function withTurns(transport: Transport, getTurns: MethodTurns): Transport {
  return {
    async unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      header: ConstructorParameters<typeof Headers>[0],
      input: MessageInitShape<I>,
      values?: ContextValues,
    ): Promise<UnaryResponse<I, O>> {
      const end = await getTurns(method).take(signal);
      try {
        return await transport.unary(method, signal, timeoutMs, header, input, values);
      } finally {
        end();
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
      let end = (): void => undefined;
      // A service may fail while its call still waits: the turn that it is given then goes back at once.
      const over = new AbortController();
      async function* whole(): AsyncGenerator<MessageInitShape<I>> {
        yield* input;
        end = await getTurns(method).take(signal);
        if (over.signal.aborted) end();
      }
      async function* answered<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
        try {
          yield* messages;
        } finally {
          over.abort();
          end();
        }
      }
      try {
        const answer = await transport.stream(method, signal, timeoutMs, header, whole(), values);
        return { ...answer, message: answered(answer.message) };
      } catch (error) {
        over.abort();
        end();
        throw error;
      }
    },
  };
}
