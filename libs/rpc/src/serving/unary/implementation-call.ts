import { create, type Message } from "@bufbuild/protobuf";
import type { HandlerContext, Interceptor, MethodImplSpec, UnaryRequest, UnaryResponse } from "@connectrpc/connect";

/** The implementation of a unary method. */
export type UnarySpec = MethodImplSpec & { kind: "unary" };

type Call = Parameters<Interceptor>[0];

/**
 * Calls the implementation of a unary method through the interceptors of its server. Throws, or rejects, if the call fails. Like Connect's
 * own function, which copies the context several times for every call.
 */
export function callImplementation(
  spec: UnarySpec,
  context: HandlerContext,
  message: Message,
  interceptors: readonly Interceptor[],
): Promise<UnaryResponse> {
  const { method } = spec;
  const { responseHeader: header, responseTrailer: trailer } = context;
  const implement = async (request: UnaryRequest): Promise<UnaryResponse> => {
    // Interceptors may have replaced them.
    const { service, header: requestHeader, signal, contextValues: values } = request;
    const result = await spec.impl(request.message, { ...context, service, requestHeader, signal, values });
    return { stream: false, service, method, header, trailer, message: create(method.output, result) };
  };
  const run = interceptors.reduceRight<Call>((next, each) => each(next), implement as Call);
  const { service, url, signal, requestMethod, requestHeader, values: contextValues } = context;
  const request = { stream: false, service, method, requestMethod, url, signal, contextValues, message } as const;
  return run({ ...request, header: requestHeader }) as Promise<UnaryResponse>;
}
