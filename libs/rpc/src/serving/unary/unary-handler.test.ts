import { once } from "node:events";
import { connect, createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import {
  ClassifierService,
  GetClassifierRequestSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { notFound } from "../../errors.ts";
import { serverInterceptors } from "../../interceptors/chains.ts";
import { recordingLogger, registerSome } from "../../testing/test-services.ts";
import { toFrame } from "./message-frame.ts";
import { createRpcRequestHandler } from "../request-handler.ts";
import { serveRpc } from "../serving.ts";

const readMaxBytes = 100_000;
const path = `/${ClassifierService.typeName}/GetClassifier`;
const services = [
  registerSome(ClassifierService, {
    getClassifier({ classifierId }, context) {
      if (classifierId === "none") throw notFound("classifier", classifierId);
      if (classifierId === "broken") throw new TypeError("secret");
      context.responseHeader.set("x-seen", context.requestHeader.get("x-sent") ?? "nothing");
      context.responseTrailer.set("x-last", context.timeoutMs() === undefined ? "no deadline" : "deadline");
      return { id: classifierId };
    },
  }),
];

const request = (classifierId: string): Uint8Array =>
  toBinary(GetClassifierRequestSchema, create(GetClassifierRequestSchema, { classifierId }));
const frame = toFrame(request("cls_1"));
const [large, tooLarge] = [toFrame(request("x".repeat(90_000))), toFrame(request("x".repeat(200_000)))];
const gzipped = toFrame(gzipSync(request("cls_1")));
gzipped[0] = 1;

const ports: { plain: number; connect: number } = { plain: 0, connect: 0 };
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  const interceptors = serverInterceptors({ logger: recordingLogger().logger });
  const server = await serveRpc({ host: "127.0.0.1", port: 0, services, interceptors, readMaxBytes });
  const options = { services, interceptors, readMaxBytes, compressMinBytes: Number.MAX_SAFE_INTEGER };
  const other = createServer(createRpcRequestHandler(options)).listen(0, "127.0.0.1");
  await once(other, "listening");
  Object.assign(ports, { plain: server.port, connect: (other.address() as AddressInfo).port });
  closing.push(
    () => server.close(),
    () => other.close(),
  );
});
afterAll(() => Promise.all(closing.map((close) => close())));

/** Sends a request in pieces, each in its own DATA frames, and returns the response. */
async function send(port: number, pieces: readonly Uint8Array[], headers: OutgoingHttpHeaders, leaveOpen = false) {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({
    ...{ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", "x-request-id": "r-1" },
    ...headers,
  });
  const seen: { header?: IncomingHttpHeaders; trailer?: IncomingHttpHeaders } = {};
  const body: Buffer[] = [];
  stream.on("response", (header) => (seen.header = header));
  stream.on("trailers", (trailer) => (seen.trailer = trailer));
  stream.on("data", (chunk: Buffer) => body.push(chunk));
  const closed = once(stream, "close");
  for (const piece of pieces) await new Promise((resolve) => stream.write(piece, () => setTimeout(resolve, 20)));
  if (!leaveOpen) stream.end();
  await closed;
  session.close();
  // Connect names a compression that it could use, even if it does not.
  const { date, "grpc-encoding": _encoding, ...header } = seen.header ?? {};
  expect(date).toEqual(expect.any(String));
  return { header, trailer: seen.trailer, body: Buffer.concat(body) };
}

describe("a plain unary call", () => {
  it("is answered with the headers, the message and the trailers", async () => {
    const { header, trailer, body } = await send(ports.plain, [frame], { "x-sent": "yes", "grpc-timeout": "5S" });
    expect(header).toMatchObject({ ":status": 200, "content-type": "application/grpc+proto", "x-seen": "yes" });
    expect(trailer).toMatchObject({ "grpc-status": "0", "x-last": "deadline", "x-request-id": "r-1" });
    expect(body.readUInt32BE(1)).toBe(body.length - 5);
  });

  it("ends with DeadlineExceeded if its message does not arrive in time", async () => {
    const { trailer } = await send(ports.plain, [], { "grpc-timeout": "100m" }, true);
    expect(trailer).toMatchObject({ "grpc-status": "4", "x-request-id": "r-1" });
  });

  it("without a message is Unimplemented, as in other servers", async () => {
    const { trailer } = await send(ports.plain, [], {});
    expect(trailer).toMatchObject({ "grpc-status": "12" });
  });

  const requests: readonly [string, readonly Uint8Array[], OutgoingHttpHeaders][] = [
    ["a message", [frame], {}],
    ["a message with the full content type", [frame], { "content-type": "application/grpc+proto" }],
    ["a message that fails", [toFrame(request("none"))], {}],
    ["a message that fails unexpectedly", [toFrame(request("broken"))], {}],
    ["an empty message", [toFrame(new Uint8Array())], {}],
    ["a message in several pieces", [frame.subarray(0, 3), frame.subarray(3, 7), frame.subarray(7)], {}],
    ["a message in several chunks", [large], {}],
    ["a message over the limit", [tooLarge], {}],
    ["a compressed message", [gzipped], { "grpc-encoding": "gzip" }],
    ["a compressed message without its encoding", [gzipped], {}],
    ["a message in an unknown encoding", [frame], { "grpc-encoding": "zip" }],
    ["two messages", [frame, frame], {}],
    ["two messages in one piece", [Buffer.concat([frame, frame])], {}],
    ["a message and a half", [frame, frame.subarray(0, 8)], {}],
    ["half a message", [frame.subarray(0, 8)], {}],
    ["a message that is not protobuf", [toFrame(new Uint8Array([255, 255, 255]))], {}],
    ["a malformed timeout", [frame], { "grpc-timeout": "soon" }],
    ["a timeout of zero", [frame], { "grpc-timeout": "0m" }],
    ["JSON", [toFrame(Buffer.from('{"classifierId":"cls_1"}'))], { "content-type": "application/grpc+json" }],
    ["an unknown method", [frame], { ":path": `/${ClassifierService.typeName}/Missing` }],
    ["another HTTP method", [frame], { ":method": "PUT" }],
  ];
  it.each(requests)("gets the same response as from Connect: %s", async (_title, pieces, headers) => {
    expect(await send(ports.plain, pieces, headers)).toEqual(await send(ports.connect, pieces, headers));
  });
});
