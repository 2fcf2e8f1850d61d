import { randomUUID } from "node:crypto";
import {
  type ContextKey,
  type ContextValues,
  ConnectError,
  createContextKey,
  type Interceptor,
} from "@connectrpc/connect";

/** The id of the request that a call belongs to, through all processes; empty outside of a call. */
export const requestIdKey: ContextKey<string> = createContextKey("", { description: "request id" });

/** Whether the answer of a call has its request id whatever comes of it, so that errors need not carry it. */
export const requestIdSentKey: ContextKey<boolean> = createContextKey(false, { description: "request id sent" });

/** The header that carries it between processes. */
export const requestIdHeader = "x-request-id";

/** Whether a text may be a request id: 1 to 128 letters, digits and `._:-`. */
export function isRequestId(text: string): boolean {
  return /^[\w.:-]{1,128}$/.test(text);
}

/** The request id of a call: the one among its values, else the one that its header gives, else a new one. Puts it among the values. */
export function noteRequestId(header: Headers, values: ContextValues): string {
  const noted = values.get(requestIdKey);
  if (noted !== "") return noted;
  const sent = header.get(requestIdHeader) ?? "";
  const id = isRequestId(sent) ? sent : randomUUID();
  values.set(requestIdKey, id);
  return id;
}

/**
 * The two halves of passing the request id on. The server's takes it from the header, or makes one, puts it under
 * `requestIdKey`, and answers with it, also in errors, unless `openCall` does so; the client's sends the one it finds
 * under that key.
 */
export const requestIdInterceptors: { readonly client: Interceptor; readonly server: Interceptor } = {
  client: (next) => (request) => {
    const id = request.contextValues.get(requestIdKey);
    if (id !== "") request.header.set(requestIdHeader, id);
    return next(request);
  },
  server: (next) => async (request) => {
    const id = noteRequestId(request.header, request.contextValues);
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
