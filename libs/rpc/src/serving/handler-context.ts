import type { DescMethod } from "@bufbuild/protobuf";
import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import { createHeaders } from "../call-headers.ts";
import { deadlineIn } from "../deadline-header.ts";

/** Creates the handler context of a gRPC call. The caller must abort `signal` when the deadline in the header has passed. */
export function createContext(call: {
  method: DescMethod;
  url: string;
  header: Headers;
  signal: AbortSignal;
}): HandlerContext {
  const { method, url, header, signal } = call;
  const timeoutMs = deadlineIn(header);
  const deadline = timeoutMs === undefined ? undefined : Date.now() + timeoutMs;
  return {
    service: method.parent,
    method,
    protocolName: "grpc",
    requestMethod: "POST",
    url,
    signal,
    requestHeader: header,
    responseHeader: createHeaders(),
    responseTrailer: createHeaders(),
    timeoutMs: () => (deadline === undefined ? undefined : deadline - Date.now()),
    values: createContextValues(),
  };
}
