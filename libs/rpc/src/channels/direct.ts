import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  Code,
  createServiceImplSpec,
  type Interceptor,
  type MethodImplSpec,
  type Transport,
  type UnaryResponse,
} from "@connectrpc/connect";
import { createLinkedAbortController, transformInvokeImplementation } from "@connectrpc/connect/protocol";
import { problem } from "../errors.ts";
import { copyMessage, freezeMessage } from "./message-copy.ts";
import { createContext } from "../serving/handler-context.ts";
import type { ServiceRegistration } from "../serving/registration.ts";
import { abortReason, unlessAborted, untilAborted } from "../streams.ts";
import { createTransport } from "./transport.ts";
import type { IncomingResponse, OutgoingCall, OutgoingUnaryCall } from "./transport.ts";
import { callImplementation, type UnarySpec } from "../serving/unary/implementation-call.ts";
import { addReceived, errorOverTheWire } from "../serving/wire-status.ts";

/**
 * Creates a transport to services of the same process, without sockets or serialization. It behaves like a network transport: requests
 * and the messages of streams are copied (except `bytes`, which are shared and must not be modified), context values stay on their side, and
 * headers, deadlines, cancellations and errors arrive as they would over gRPC. The response of a unary call is the message that the handler
 * returned, which neither side may modify afterwards; `freezeResponses` ensures that in tests.
 */
export function createDirectTransport(options: {
  services: readonly ServiceRegistration[];
  serverInterceptors: readonly Interceptor[];
  interceptors?: readonly Interceptor[];
  freezeResponses?: boolean;
}): Transport {
  const specs = new Map<DescMethod, MethodImplSpec>();
  for (const { service, implementation } of options.services) {
    const { methods } = createServiceImplSpec(service, implementation);
    for (const spec of Object.values(methods)) specs.set(spec.method, spec);
  }
  function findSpec({ method }: Pick<OutgoingCall, "method">): MethodImplSpec {
    const spec = specs.get(method);
    if (spec === undefined) {
      const name = `${method.parent.typeName}/${method.name}`;
      throw problem(Code.Unimplemented, "UNIMPLEMENTED", `There is no method ${name}.`);
    }
    return spec;
  }
  const interceptors = [...options.serverInterceptors];
  const finish = options.freezeResponses === true ? freezeMessage : () => undefined;
  return createTransport(
    "http://in-process",
    options.interceptors ?? [],
    async (call) => invoke(call, findSpec(call), interceptors),
    (call) => invokeUnary(call, findSpec(call) as UnarySpec, interceptors, finish),
  );
}

/** Invokes a unary method without the streams of `invoke`. `errorInterceptor` ends a call that is aborted, even if its handler does not. */
async function invokeUnary(
  call: OutgoingUnaryCall,
  spec: UnarySpec,
  interceptors: readonly Interceptor[],
  finish: (message: Message) => void,
): Promise<UnaryResponse> {
  if (call.signal.aborted) throw abortReason(call.signal);
  const context = createContext(call);
  try {
    const response = await callImplementation(spec, context, copyMessage(call.message), interceptors);
    finish(response.message);
    return response;
  } catch (error) {
    if (call.signal.aborted) throw abortReason(call.signal);
    const received = errorOverTheWire(error, context.responseTrailer);
    addReceived(received, context.responseHeader);
    throw received;
  }
}

async function invoke(
  call: OutgoingCall,
  spec: MethodImplSpec,
  interceptors: Interceptor[],
): Promise<IncomingResponse> {
  if (call.signal.aborted) throw abortReason(call.signal);
  const controller = createLinkedAbortController(call.signal);
  const context = createContext({ ...call, signal: controller.signal });
  const input = untilAborted(copied(call.input), context.signal);
  const handler = transformInvokeImplementation(spec, context, interceptors)(input)[Symbol.asyncIterator]();

  // A handler that is suspended at a `yield` would otherwise never run its `finally`. The caller may read no further.
  const leave = (): void => void handler.return?.(undefined)?.catch(() => undefined);
  call.signal.addEventListener("abort", leave, { once: true });
  const ended = (reason?: unknown): void => {
    call.signal.removeEventListener("abort", leave);
    leave();
    controller.abort(reason);
  };
  const next = async (): Promise<IteratorResult<Message>> => {
    try {
      const result = await unlessAborted(handler.next(), call.signal);
      if (result.done === true) ended();
      return result.done === true ? result : { done: false, value: copyMessage<Message>(result.value) };
    } catch (error) {
      ended(error);
      throw call.signal.aborted ? abortReason(call.signal) : errorOverTheWire(error, context.responseTrailer);
    }
  };

  // Headers are sent with the first message, so the handler can set them until then.
  const first = next();
  await first.catch(() => undefined);
  return {
    header: new Headers(context.responseHeader),
    trailer: context.responseTrailer,
    output: sequence(first, next),
  };
}

async function* sequence(
  first: Promise<IteratorResult<Message>>,
  next: () => Promise<IteratorResult<Message>>,
): AsyncGenerator<Message, void> {
  for (let result = await first; result.done !== true; result = await next()) yield result.value;
}

async function* copied(messages: AsyncIterable<Message>): AsyncGenerator<Message, void> {
  for await (const message of messages) yield copyMessage(message);
}
