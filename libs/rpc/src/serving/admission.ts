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

/** What is known of a call before its body is read. `values` are those that the handler will have. */
export interface AdmissionRequest {
  readonly method: DescMethod;
  readonly header: Headers;
  readonly values: ContextValues;
}

/** Decides whether a call is taken. Throws the status to answer with when it is not. */
export type Admit = (request: AdmissionRequest) => Promise<void>;

/** The gate of a Connect router that asks `admit`. A refusal leaves through the interceptors, as the failure of a call would. */
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

/** Answers of Connect to requests that are in none of its protocols: their methods, types, or versions of HTTP. */
const unspoken: ReadonlySet<number> = new Set([405, 415, 505]);

/**
 * Whoever may not call is told so also where the request is in no protocol, for which Connect asks no gate. Undefined
 * when the answer stands.
 */
export async function refuseUnspoken(
  answered: UniversalServerResponse,
  { header, contextValues }: UniversalServerRequest,
  method: DescMethod,
  admit: Admit,
): Promise<UniversalServerResponse | undefined> {
  if (!unspoken.has(answered.status)) return undefined;
  try {
    await admit({ method, header, values: contextValues ?? createContextValues() });
    return undefined;
  } catch (error) {
    if (ConnectError.from(error).code !== Code.Unauthenticated) return { status: 503 };
    return { status: 401, header: new Headers({ "www-authenticate": "Bearer" }) };
  }
}
