import { create, type DescMessage, type DescMethod, type Message } from "@bufbuild/protobuf";
import type { DescMethodStreaming, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import {
  Code,
  createContextValues,
  type ContextValues,
  type Interceptor,
  type StreamResponse,
  type Transport,
  type UnaryResponse,
} from "@connectrpc/connect";
import { createAsyncIterable, createMethodUrl, runStreamingCall } from "@connectrpc/connect/protocol";
import { callSettings, toTimeout } from "./call-settings.ts";
import type { HeaderSource } from "../call-headers.ts";
import { withDeadline } from "../deadline-header.ts";
import { problem } from "../errors.ts";
import { runUnary } from "./unary-call.ts";

/** A call as it leaves the interceptors of the client. */
export interface OutgoingCall {
  method: DescMethod;
  url: string;
  /** The request headers, including the deadline. */
  header: Headers;
  /** Aborted when the caller cancels the call, when its deadline passes, and when it has ended. */
  signal: AbortSignal;
  input: AsyncIterable<Message>;
}

/** A unary call as it leaves the interceptors of the client. */
export interface OutgoingUnaryCall extends Omit<OutgoingCall, "method" | "input"> {
  method: DescMethodUnary;
  message: Message;
}

/** The response of a call of any kind. The trailers are complete when the output has been read to its end. */
export interface IncomingResponse {
  header: Headers;
  trailer: Headers;
  /** The messages. Throws the status of a failed call. */
  output: AsyncIterable<Message>;
}

/**
 * Creates a Connect transport from a function that makes a call of any kind, and another for unary calls if there is a shorter way for them.
 * It adds what every transport needs: interceptors, deadlines, abort signals, and the check that unary calls have one response message.
 */
export function createTransport(
  baseUrl: string,
  interceptors: readonly Interceptor[],
  sendCall: (call: OutgoingCall) => Promise<IncomingResponse>,
  sendUnary: (call: OutgoingUnaryCall) => Promise<UnaryResponse> = async ({ message, ...call }) => {
    const response = await sendCall({ ...call, input: createAsyncIterable([message]) });
    return {
      ...toResponseFields(call.method, response),
      stream: false,
      message: await readOnlyMessage(response.output),
    };
  },
): Transport {
  // Every call needs the URL of its method.
  const urls = new Map<DescMethod, string>();
  function getUrl(method: DescMethod): string {
    const url = urls.get(method) ?? createMethodUrl(baseUrl, method);
    urls.set(method, url);
    return url;
  }

  function toRequestFields<M extends DescMethod>(
    method: M,
    timeoutMs: number | undefined,
    header: HeaderSource,
    contextValues: ContextValues | undefined,
  ) {
    return {
      service: method.parent,
      method,
      requestMethod: "POST",
      url: getUrl(method),
      header: withDeadline(header, timeoutMs),
      contextValues: contextValues ?? createContextValues(),
    };
  }

  type Send = Parameters<Interceptor>[0];
  const sendThrough = interceptors.reduceRight<Send>((next, each) => each(next), sendUnary as unknown as Send);
  return {
    unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      header: HeaderSource,
      message: MessageInitShape<I>,
      contextValues?: ContextValues,
    ): Promise<UnaryResponse<I, O>> {
      return runUnary(signal, toTimeout(timeoutMs), (own) => {
        const request = {
          stream: false,
          ...toRequestFields(method, timeoutMs, header, contextValues),
          message: create(method.input, message),
          signal: own,
        } as const;
        return sendThrough(request) as Promise<UnaryResponse<I, O>>;
      });
    },
    async stream<I extends DescMessage, O extends DescMessage>(
      method: DescMethodStreaming<I, O>,
      signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      header: HeaderSource,
      input: AsyncIterable<MessageInitShape<I>>,
      contextValues?: ContextValues,
    ): Promise<StreamResponse<I, O>> {
      return runStreamingCall<I, O>({
        ...callSettings(interceptors, signal, timeoutMs),
        req: { stream: true, ...toRequestFields(method, timeoutMs, header, contextValues), message: input },
        next: async (request) => {
          const response = await sendCall({ ...request, input: request.message });
          return {
            ...toResponseFields(method, response),
            stream: true,
            message: response.output as AsyncIterable<MessageShape<O>>,
          };
        },
      });
    },
  };
}

function toResponseFields<M extends DescMethod>(
  method: M,
  { header, trailer }: Pick<IncomingResponse, "header" | "trailer">,
) {
  return { service: method.parent, method, header, trailer };
}

async function readOnlyMessage(output: AsyncIterable<Message>): Promise<Message> {
  let single: Message | undefined;
  for await (const message of output) {
    if (single !== undefined) throw problem(Code.Internal, "PROTOCOL_ERROR", "A call received more than one response.");
    single = message;
  }
  if (single === undefined) throw problem(Code.Internal, "PROTOCOL_ERROR", "A call succeeded without a response.");
  return single;
}
