import { isFieldSet } from "@bufbuild/protobuf";
import type { DescMessage, DescMethodStreaming, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Agent } from "node:http";
import type { Route } from "@switchyard/rest";
import { getMessage } from "../specification/testing/rpcs.ts";
import type { SampleRequest } from "../specification/testing/rpcs.ts";
import type { TestSystem } from "../system.ts";

/** The protocols besides REST. */
export const protocols = ["Connect binary", "Connect JSON", "gRPC-Web", "gRPC"] as const;
export type Protocol = (typeof protocols)[number];

/** Creates a client of each protocol for a running system. */
export function createTransports(system: Pick<TestSystem, "url" | "grpcPort">): Readonly<Record<Protocol, Transport>> {
  // The server closes idle connections after a few seconds, which a client on a busy machine may notice too late.
  const nodeOptions = { agent: new Agent({ keepAlive: false }) };
  const web = { baseUrl: system.url, httpVersion: "1.1" as const, nodeOptions };
  return {
    "Connect binary": createConnectTransport({ ...web, useBinaryFormat: true }),
    "Connect JSON": createConnectTransport({
      ...web,
      useBinaryFormat: false,
      jsonOptions: { ignoreUnknownFields: false },
    }),
    "gRPC-Web": createGrpcWebTransport(web),
    gRPC: createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.grpcPort}` }),
  };
}

/** What a call returned: messages, or an error. */
export interface Called {
  readonly messages: readonly Message[];
  readonly error: ConnectError | undefined;
  /** The headers of the response, and its trailers if the call failed. */
  readonly headers: Headers;
}

/** Sends a sample request of an RPC, including one with a file, and reads all messages of the response. Never throws a ConnectError. */
export async function callRpc(
  transport: Transport,
  route: Route,
  request: SampleRequest,
  headers: Readonly<Record<string, string>>,
): Promise<Called> {
  const { method } = route;
  try {
    if (method.methodKind === "unary") {
      const unary = method as DescMethodUnary<DescMessage, DescMessage>;
      const message = getMessage(route, withContent(request));
      const response = await transport.unary(unary, undefined, 30_000, headers, message);
      return { messages: [response.message], error: undefined, headers: response.header };
    }
    const streaming = method as DescMethodStreaming<DescMessage, DescMessage>;
    const input = method.methodKind === "client_streaming" ? toParts(request) : only(getMessage(route, request));
    const response = await transport.stream(streaming, undefined, 30_000, headers, input as never);
    const messages: Message[] = [];
    for await (const message of response.message) {
      // The stream has begun, and may never end.
      if (route.eventName !== undefined && method.output.fields.every((field) => !isFieldSet(message, field))) break;
      messages.push(message);
    }
    return { messages, error: undefined, headers: response.header };
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    return { messages: [], error, headers: error.metadata };
  }
}

/** Over RPC a file is a field of the message. Other parts of the form are strings, which JSON would not convert to their types. */
export function withContent({ path, body, file, query }: SampleRequest): SampleRequest {
  const known = { ...(path && { path }), ...(query && { query }) };
  if (file === undefined) return { ...known, ...(body && { body }) };
  const extract = body?.["extract"];
  const data = Buffer.from(file.text).toString("base64");
  const content = { filename: file.filename, contentType: "text/plain", data };
  return { ...known, body: { ...body, content, ...(extract === undefined ? {} : { extract: extract === "true" }) } };
}

/** Returns the messages of an upload. */
async function* toParts({ path, file }: SampleRequest): AsyncGenerator<object> {
  const { filename = "", text = "" } = file ?? {};
  yield { ...path, filename };
  yield { data: Buffer.from(text), last: true };
}

async function* only(message: Message): AsyncGenerator<Message> {
  yield message;
}
