import { Code, createContextValues } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { endStreamToJson, errorToJson } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Writable } from "node:stream";
import { problem } from "../errors.ts";
import { assignRequestId, requestIdHeader } from "../interceptors/request-id.ts";
import type { NodeRequest, NodeResponse } from "./node-messages.ts";
import { setConfidential } from "./required-headers.ts";
import { closeUnread, discardUnread, isLargelyUnread } from "./unread-request.ts";

/** The protocol of a request, by its content type. */
type Protocol = "gRPC" | "gRPC-Web" | "Connect" | "Connect stream";

const protocols: readonly (readonly [RegExp, Protocol])[] = [
  [/^application\/grpc(?:\+|;|$)/, "gRPC"],
  [/^application\/grpc-web(?:-text)?(?:\+|;|$)/, "gRPC-Web"],
  [/^application\/connect\+/, "Connect stream"],
  [/^application\/(?:proto|json)(?:;|$)/, "Connect"],
];

/** A path of the form of a method: `/package.Service/Method`. */
const methodPath = /^\/(?:[a-z_]\w*\.)+[a-z_]\w*\/[a-z_]\w*$/i;

/** The flag of the last message of a Connect stream. */
const endStreamFlag = 0b10;

/** Returns whether a request that no method handles is a call, by its HTTP method, its content type and the form of its path. */
export function isCall({ method, url, headers }: Pick<NodeRequest, "method" | "url" | "headers">): boolean {
  return method === "POST" && methodPath.test(url?.split("?", 1)[0] ?? "") && getProtocol(headers) !== undefined;
}

/** Returns the protocol of a request by its content type; undefined if that is none of RPC. */
export function getProtocol(headers: NodeRequest["headers"]): Protocol | undefined {
  const type = (headers["content-type"] ?? "").toLowerCase();
  return protocols.find(([pattern]) => pattern.test(type))?.[1];
}

/**
 * Responds Unimplemented in the protocol of the request, with a request ID. A request in no protocol of RPC gets 404 without a body.
 */
export function respondUnimplemented(request: NodeRequest, response: NodeResponse): void {
  const { "content-type": type = "" } = request.headers;
  setHeaders(request, response);
  const error = problem(Code.Unimplemented, "UNIMPLEMENTED", "There is no such method.");
  switch (getProtocol(request.headers)) {
    case "gRPC":
    case "gRPC-Web": {
      // `writeHead` sends the headers before it is known that no body follows, and gRPC clients then ignore the status in them.
      response.setHeader("content-type", type);
      const status = new Headers();
      setTrailerStatus(status, error);
      status.forEach((value, name) => response.setHeader(name, value));
      return void end(request, response);
    }
    case "Connect stream":
      response.setHeader("content-type", type);
      return void end(
        request,
        response,
        encodeEnvelope(endStreamFlag, Buffer.from(JSON.stringify(endStreamToJson(new Headers(), error, undefined)))),
      );
    case "Connect":
      response.statusCode = 501;
      response.setHeader("content-type", "application/json");
      return void end(request, response, Buffer.from(JSON.stringify(errorToJson(error, undefined))));
    case undefined:
      response.statusCode = 404;
      return void end(request, response);
  }
}

/** Responds 400 without a body to a request that cannot be read as a call, such as one whose host is not the host of a URL. */
export function respondMalformed(request: NodeRequest, response: NodeResponse): void {
  setHeaders(request, response);
  response.statusCode = 400;
  void end(request, response);
}

function setHeaders({ headers }: NodeRequest, response: NodeResponse): void {
  const sent = headers[requestIdHeader];
  const known = new Headers(typeof sent === "string" ? { [requestIdHeader]: sent } : {});
  response.setHeader(requestIdHeader, assignRequestId(known, createContextValues()));
  setConfidential(response);
}

async function end(request: NodeRequest, response: NodeResponse, body?: Uint8Array): Promise<void> {
  const write = (bytes: Uint8Array): unknown => (response as Writable).write(bytes);
  if (!("stream" in request) && isLargelyUnread(request)) {
    response.setHeader("connection", "close");
    if ("flushHeaders" in response) response.flushHeaders();
    if (body !== undefined) write(body);
    await discardUnread(request);
  } else if (body !== undefined) write(body);
  response.end();
  // A body is followed by trailers, after which the stream is closed. Closing it now would cut the response off before its end.
  if (body === undefined) closeUnread(request);
}
