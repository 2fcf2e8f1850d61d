import { randomUUID } from "node:crypto";
import {
  type ContextKey,
  type ContextValues,
  ConnectError,
  createContextKey,
  type Interceptor,
} from "@connectrpc/connect";

/** The ID of the request that a call belongs to, which is the same in all processes. Empty outside of a call. */
export const requestIdKey: ContextKey<string> = createContextKey("", { description: "request id" });

/** Whether the response already contains the request ID, so that errors need not carry it. */
export const requestIdSentKey: ContextKey<boolean> = createContextKey(false, { description: "request id sent" });

/** The header that carries the request ID between processes. */
export const requestIdHeader = "x-request-id";

/** Returns whether a text is a valid request ID: 1 to 128 letters, digits and `._:-`. */
export function isRequestId(text: string): boolean {
  return /^[\w.:-]{1,128}$/.test(text);
}

/** Returns the request ID from the context values, or from the header, or a new one, and stores it in the context values. */
export function assignRequestId(header: Headers, values: ContextValues): string {
  const assigned = values.get(requestIdKey);
  if (assigned !== "") return assigned;
  const sent = header.get(requestIdHeader) ?? "";
  const id = isRequestId(sent) ? sent : randomUUID();
  values.set(requestIdKey, id);
  return id;
}

/**
 * The interceptors that propagate the request ID. The server interceptor stores it under `requestIdKey` and adds it to responses, and to
 * errors unless `prepareCall` already has. The client interceptor sends the ID stored under that key.
 */
export const requestIdInterceptors: { readonly client: Interceptor; readonly server: Interceptor } = {
  client: (next) => (request) => {
    const id = request.contextValues.get(requestIdKey);
    if (id !== "") request.header.set(requestIdHeader, id);
    return next(request);
  },
  server: (next) => async (request) => {
    const id = assignRequestId(request.header, request.contextValues);
    try {
      const response = await next(request);
      response.header.set(requestIdHeader, id);
      return response;
    } catch (error) {
      const sent = request.contextValues.get(requestIdSentKey);
      if (error instanceof ConnectError && !sent) error.metadata.set(requestIdHeader, id);
      throw error;
    }
  },
};
