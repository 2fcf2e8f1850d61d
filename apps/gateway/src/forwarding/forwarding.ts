import type {
  DescMessage,
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  DescService,
  Message,
} from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl, Transport } from "@connectrpc/connect";
import { getEventName, hasNoDeadline } from "@switchyard/rest";
import { callOptions, abortResponseKey, type ServiceRegistration } from "@switchyard/rpc";
import { accessLostGraceMs, accessLostKey } from "../access/access-watch.ts";
import { toRequestHeaders, toResponseHeaders } from "./forwarded-headers.ts";
import { getSingleMessage, toSingleMessageStream } from "./single-message.ts";

/** A public service and the transport to it. */
export interface PublicService {
  readonly service: DescService;
  readonly transport: Transport;
}

/**
 * Creates a registration whose handlers forward every call unchanged: the message, the remaining deadline (at most `deadlineMs`), the
 * context values, and the allowed headers in both directions. Event streams have no deadline and end with `draining`.
 */
export function createForwarder(
  { service, transport }: PublicService,
  deadlineMs: number,
  draining: AbortSignal,
): ServiceRegistration {
  const methods = service.methods.map((method) => {
    switch (method.methodKind) {
      case "unary": {
        const unary = method as DescMethodUnary;
        return [
          method.localName,
          async (request: Message, context: HandlerContext) => {
            const { signal, timeoutMs, header, values } = getCallOptions(method, context, deadlineMs);
            const response = await transport.unary(unary, signal, timeoutMs, header, request, values);
            copyResponseHeaders(response.header, context);
            return response.message;
          },
        ];
      }
      case "client_streaming": {
        const streaming = method as DescMethodStreaming;
        return [
          method.localName,
          async (requests: AsyncIterable<Message>, context: HandlerContext) =>
            getSingleMessage(await open(streaming, requests, context)),
        ];
      }
      default: {
        const streaming = method as DescMethodStreaming;
        return [
          method.localName,
          async function* (request: Message | AsyncIterable<Message>, context: HandlerContext) {
            yield* await open(
              streaming,
              Symbol.asyncIterator in request ? request : toSingleMessageStream(request),
              context,
            );
          },
        ];
      }
    }
  });

  async function open(
    method: DescMethodStreaming,
    requests: AsyncIterable<Message>,
    context: HandlerContext,
  ): Promise<AsyncIterable<Message>> {
    const { signal, timeoutMs, header, values } = getCallOptions(method, context, deadlineMs);
    const events = getEventName(method) !== undefined;
    const response = await transport.stream<DescMessage, DescMessage>(
      method,
      events ? AbortSignal.any([signal, draining]) : signal,
      hasNoDeadline(method) ? context.timeoutMs() : timeoutMs,
      header,
      requests,
      values,
    );
    copyResponseHeaders(response.header, context);
    context.values
      .get(accessLostKey)
      ?.addEventListener("abort", () => setTimeout(abortResponse, accessLostGraceMs), { once: true });
    return response.message;

    function abortResponse(): void {
      context.values.get(abortResponseKey)?.();
    }
  }

  return { service, implementation: Object.fromEntries(methods) as ServiceImpl<DescService> };
}

function getCallOptions(method: DescMethod, context: HandlerContext, deadlineMs: number) {
  const { timeoutMs = deadlineMs } = callOptions(context);
  return {
    signal: context.signal,
    timeoutMs: Math.min(timeoutMs, deadlineMs),
    header: toRequestHeaders(method, (name) => {
      const value = context.requestHeader.get(name);
      return value === null ? [] : [value];
    }),
    values: context.values,
  };
}

function copyResponseHeaders(header: Headers, context: HandlerContext): void {
  for (const [name, value] of Object.entries(toResponseHeaders(header))) context.responseHeader.set(name, value);
}
