import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:http2";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { errorFromJson } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getProblemFacts } from "../errors.ts";
import { serverInterceptors } from "../interceptors/chains.ts";
import { collect, recordingLogger, registerSome } from "../testing/test-services.ts";
import { createRpcRequestHandler } from "./request-handler.ts";
import { serveRpc } from "./serving.ts";

const { logger, lines } = recordingLogger();
const options = {
  interceptors: serverInterceptors({ logger }),
  logger,
  services: [
    registerSome(ClassifierService, { getClassifier: ({ classifierId }) => ({ id: classifierId }) }),
    registerSome(ExtractionService, {
      async uploadFile(messages) {
        return { size: (await collect(messages)).length };
      },
    }),
  ],
};
const unary = `/${ClassifierService.typeName}/GetClassifier`;
const stream = `/${ExtractionService.typeName}/UploadFile`;
const flag = 1;
const text = JSON.stringify({ classifierId: "x".repeat(500) });
const noCompression = "A message is marked as compressed, but the call has no compression.";
const notCompressed = "The message cannot be decompressed.";

let url: string;
let grpcUrl: string;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  const http = createServer(createRpcRequestHandler(options)).listen(0, "127.0.0.1");
  await once(http, "listening");
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const grpc = await serveRpc({ ...options, host: "127.0.0.1", port: 0 });
  grpcUrl = `http://127.0.0.1:${grpc.port}`;
  closing.push(
    () => http.close(),
    () => http.closeAllConnections(),
    () => grpc.close(),
  );
});
afterAll(async () => {
  for (const close of closing) await close();
});
beforeEach(() => lines.splice(0));

async function post(path: string, headers: Record<string, string>, body: Uint8Array): Promise<Response> {
  return fetch(url + path, { method: "POST", headers, body: new Uint8Array(body) });
}

/** Calls a method over each protocol with a message, which is compressed with the given name, or marked as compressed without one. */
const protocols: Readonly<
  Record<string, (message: Uint8Array, compression?: string) => Promise<ConnectError | undefined>>
> = {
  async Connect(message, compression = "identity") {
    const headers = { "content-type": "application/json", "content-encoding": compression };
    const response = await post(unary, headers, message);
    return errorFromJson((await response.json()) as JsonValue, undefined, new ConnectError("none"));
  },
  async "a Connect stream"(message, compression) {
    const own = compression === undefined ? {} : { "connect-content-encoding": compression };
    const headers = { "content-type": "application/connect+json", ...own };
    const bytes = Buffer.from(await (await post(stream, headers, encodeEnvelope(flag, message))).arrayBuffer());
    const { error } = JSON.parse(bytes.subarray(5).toString()) as { error: JsonValue };
    return errorFromJson(error, undefined, new ConnectError("none"));
  },
  async "gRPC-Web"(message, compression) {
    const own = compression === undefined ? {} : { "grpc-encoding": compression };
    const headers = { "content-type": "application/grpc-web+json", ...own };
    const bytes = Buffer.from(await (await post(unary, headers, encodeEnvelope(flag, message))).arrayBuffer());
    return findTrailerError(trailerParse(bytes.subarray(5)));
  },
  async "a gRPC stream"(message, compression) {
    const session = connect(grpcUrl).on("error", () => undefined);
    const own = compression === undefined ? {} : { "grpc-encoding": compression };
    const headers = { "content-type": "application/grpc+json", te: "trailers", ...own };
    const call = session.request({ ":method": "POST", ":path": stream, ...headers });
    call.end(encodeEnvelope(flag, message));
    call.resume();
    const [trailers] = (await once(call, "trailers")) as [Record<string, string>];
    session.destroy();
    return findTrailerError(new Headers(Object.entries(trailers)));
  },
};

describe.each(Object.entries(protocols))("over %s", (_name, call) => {
  it.each([
    ["gzip", gzipSync(text)],
    ["br", brotliCompressSync(text)],
  ])("a message that is no complete %s data is the client's fault", async (compression, compressed) => {
    for (const message of [compressed.subarray(0, compressed.length - 6), Buffer.from("no such format")]) {
      const error = await call(message, compression);
      const expected = { code: Code.InvalidArgument, reason: "INVALID_REQUEST", message: notCompressed };
      expect(getProblemFacts(error)).toMatchObject(expected);
    }
    expect(lines.filter(({ msg }) => msg !== "call")).toEqual([]);
  });
});

// The message of a unary call over Connect has no envelope that could be marked.
it.each(["a Connect stream", "gRPC-Web", "a gRPC stream"])(
  "over %s, a message that is marked as compressed without a compression breaks the protocol",
  async (name) => {
    const error = await protocols[name]?.(gzipSync(text));
    const expected = { code: Code.Internal, reason: "PROTOCOL_ERROR", message: noCompression };
    expect(getProblemFacts(error)).toMatchObject(expected);
    expect(lines.filter(({ msg }) => msg !== "call")).toEqual([]);
  },
);

it("a GET request whose message is not base64 is the client's fault", async () => {
  for (const message of ["%25%25", "a"]) {
    const response = await fetch(`${url}${unary}?connect=v1&encoding=proto&base64=1&message=${message}`);
    expect(response.status).toBe(400);
    const error = errorFromJson((await response.json()) as JsonValue, undefined, new ConnectError("none"));
    expect(getProblemFacts(error)).toMatchObject({
      reason: "INVALID_REQUEST",
      message: "The message is not valid base64.",
    });
  }
  const json = Buffer.from(text).toString("base64url");
  const valid = await fetch(`${url}${unary}?connect=v1&encoding=json&base64=1&message=${json}`);
  expect(await valid.json()).toEqual({ id: "x".repeat(500) });
});
