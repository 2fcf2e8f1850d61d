import type { DescMethod } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
} from "@connectrpc/connect";
import {
  createAsyncIterable,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";

/** A call before its body is read. The handler receives the same context `values`. */
export interface AdmissionRequest {
  readonly method: DescMethod;
  readonly header: Headers;
  readonly values: ContextValues;
}

/** Decides whether a call is admitted. Throws the status to respond with if it is not. */
export type Admit = (request: AdmissionRequest) => Promise<void>;

/** Creates a Connect request gate that calls `admit`. A refusal passes through the interceptors like any failed call. */
export function admissionGate(
  admit: Admit,
  interceptors: readonly Interceptor[],
): (context: HandlerContext) => Promise<void> {
  return async (context) => {
    try {
      await admit({ method: context.method, header: context.requestHeader, values: context.values });
    } catch (error) {
      const { requestMethod, url, signal, service } = context;
      const request = {
        ...{ stream: true, requestMethod, url, signal, service },
        method: context.method as StreamRequest["method"],
        header: context.requestHeader,
        contextValues: context.values,
        message: createAsyncIterable([]),
      } as StreamRequest;
      const refuse = () => Promise.reject(ConnectError.from(error));
      await interceptors.reduceRight<Parameters<Interceptor>[0]>((next, intercept) => intercept(next), refuse)(request);
    }
  };
}

/** The statuses with which Connect refuses requests whose method, content type or HTTP version it does not support. */
const unsupportedProtocolStatuses: ReadonlySet<number> = new Set([405, 415, 505]);

/**
 * Checks the admission of a request that Connect refused because it is in no supported protocol; Connect calls no gate for those.
 * Returns the response to a caller that is not admitted, and undefined if the response of Connect remains.
 */
export async function refuseUnsupportedProtocol(
  answered: UniversalServerResponse,
  { header, contextValues }: UniversalServerRequest,
  method: DescMethod,
  admit: Admit,
): Promise<UniversalServerResponse | undefined> {
  if (!unsupportedProtocolStatuses.has(answered.status)) return undefined;
  try {
    await admit({ method, header, values: contextValues ?? createContextValues() });
    return undefined;
  } catch (error) {
    if (ConnectError.from(error).code !== Code.Unauthenticated) return { status: 503 };
    return { status: 401, header: new Headers({ "www-authenticate": "Bearer" }) };
  }
}
