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
import { getRetryAfter } from "../errors.ts";
import { assignRequestId, requestIdHeader } from "../interceptors/request-id.ts";

/** A call before its body is read. The handler receives the same context `values`. */
export interface AdmissionRequest {
  readonly method: DescMethod;
  readonly header: Headers;
  readonly values: ContextValues;
  /** The headers of the response, whether the call is admitted or not. */
  readonly responseHeader: Headers;
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
      const { method, requestHeader: header, values, responseHeader } = context;
      await admit({ method, header, values, responseHeader });
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

/** The statuses of calls that are not admitted, by their codes. All others have the status 503. */
const refusalStatuses: ReadonlyMap<Code, number> = new Map([
  [Code.Unauthenticated, 401],
  [Code.ResourceExhausted, 429],
]);

/** The statuses with which Connect refuses requests whose method, content type or HTTP version it does not support. */
const unsupportedProtocolStatuses: ReadonlySet<number> = new Set([405, 415, 505]);

/**
 * Checks the admission of a request that Connect refused because it is in no supported protocol; Connect calls no gate for those.
 * Returns the response to a caller that is not admitted, or the response of Connect with the headers of the admission. Returns undefined
 * if Connect did not refuse the request for this.
 */
export async function refuseUnsupportedProtocol(
  response: UniversalServerResponse,
  { header, contextValues }: UniversalServerRequest,
  method: DescMethod,
  admit: Admit,
): Promise<UniversalServerResponse | undefined> {
  if (!unsupportedProtocolStatuses.has(response.status)) return undefined;
  const values = contextValues ?? createContextValues();
  const responseHeader = new Headers({ [requestIdHeader]: assignRequestId(header, values) });
  try {
    await admit({ method, header, values, responseHeader });
    new Headers(response.header).forEach((value, name) => responseHeader.append(name, value));
    return { ...response, header: responseHeader };
  } catch (error) {
    const refusal = ConnectError.from(error);
    const seconds = getRetryAfter(refusal);
    if (seconds !== undefined) responseHeader.set("retry-after", String(seconds));
    return { status: refusalStatuses.get(refusal.code) ?? 503, header: responseHeader };
  }
}
