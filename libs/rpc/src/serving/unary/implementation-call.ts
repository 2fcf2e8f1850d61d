import { create, type Message } from "@bufbuild/protobuf";
import type { HandlerContext, Interceptor, MethodImplSpec, UnaryRequest, UnaryResponse } from "@connectrpc/connect";

/** The implementation of a unary method. */
export type UnarySpec = MethodImplSpec & { kind: "unary" };

type Call = Parameters<Interceptor>[0];

/**
 * Calls the implementation of a unary method through the interceptors of its server, and returns its response message. Like Connect's own
 * function, which copies the context several times for every call.
 */
export async function callImplementation(
  spec: UnarySpec,
  context: HandlerContext,
  message: Message,
  interceptors: readonly Interceptor[],
): Promise<Message> {
  const { method } = spec;
  const { service, responseHeader, responseTrailer } = context;
  const implement = async (request: UnaryRequest): Promise<UnaryResponse> => {
    // Interceptors may have replaced them.
    const { service, header: requestHeader, signal, contextValues: values } = request;
    const result = await spec.impl(request.message, { ...context, service, requestHeader, signal, values });
    const fields = { stream: false, service, method, header: responseHeader, trailer: responseTrailer } as const;
    return { ...fields, message: create(method.output, result) };
  };
  const run = interceptors.reduceRight<Call>((next, each) => each(next), implement as Call);
  const { url, signal, requestMethod, requestHeader: header, values: contextValues } = context;
  const request = {
    stream: false,
    service,
    method,
    requestMethod,
    url,
    signal,
    header,
    contextValues,
    message,
  } as const;
  const response = (await run(request)) as UnaryResponse;
  replaceHeaders(responseHeader, response.header);
  replaceHeaders(responseTrailer, response.trailer);
  return response.message;
}

function replaceHeaders(headers: Headers, wanted: Headers): void {
  if (headers === wanted) return;
  for (const name of [...headers.keys()]) headers.delete(name);
  wanted.forEach((value, name) => headers.set(name, value));
}
