import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  ClassifierDetailSchema,
  ClassifierService,
  GetClassifierRequestSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRpcRequestHandler } from "../serving/request-handler.ts";
import { toFrame } from "../serving/unary/message-frame.ts";
import { registerSome } from "../testing/test-services.ts";

let release = (): void => undefined;
const released = new Promise<void>((resolve) => (release = resolve));
const handler = createRpcRequestHandler({
  interceptors: [],
  services: [
    registerSome(ClassifierService, { getClassifier: ({ classifierId }) => ({ name: classifierId }) }),
    registerSome(ExtractionService, {
      async *getFileContent() {
        yield { data: new Uint8Array(1) };
        await released;
        yield { data: new Uint8Array(2) };
      },
    }),
  ],
});
const server = createServer(handler);
beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function call(path: string, body: string | ReadableStream, type = "application/grpc-web-text") {
  const { port } = server.address() as AddressInfo;
  const headers = { "content-type": type };
  return fetch(`http://127.0.0.1:${port}/${path}`, { method: "POST", headers, body, duplex: "half" });
}
const getClassifier = `${ClassifierService.typeName}/GetClassifier`;

/** Decodes base64 that may be padded in the middle. */
function decode(text: string): Buffer {
  return Buffer.concat((text.match(/[^=]+=*/g) ?? []).map((part) => Buffer.from(part, "base64")));
}

/** Splits a body into its messages: their flags, and their bytes. */
function readFrames(body: Buffer): { flags: number | undefined; bytes: Buffer }[] {
  const frames = [];
  for (let at = 0; at < body.length; at += 5 + body.readUInt32BE(at + 1))
    frames.push({ flags: body[at], bytes: body.subarray(at + 5, at + 5 + body.readUInt32BE(at + 1)) });
  return frames;
}

describe("gRPC-Web as text", () => {
  const id = "an ID of several words";
  const frame = toFrame(toBinary(GetClassifierRequestSchema, create(GetClassifierRequestSchema, { classifierId: id })));
  const parts = [frame.subarray(0, 4), frame.subarray(4, 11), frame.subarray(11)];

  it.each([
    ["application/grpc-web-text", "application/grpc-web-text+proto"],
    ["application/grpc-web-text+proto", "application/grpc-web-text+proto"],
    ["Application/GRPC-Web-Text", "application/grpc-web-text+proto"],
  ])("is answered as text: %s", async (type, responseType) => {
    const response = await call(getClassifier, frame.toString("base64"), type);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, responseType]);
    const [message, trailers, ...others] = readFrames(decode(await response.text()));
    expect(fromBinary(ClassifierDetailSchema, message?.bytes ?? new Uint8Array()).name).toBe(id);
    expect([message?.flags, trailers?.flags, others]).toEqual([0, 0x80, []]);
    expect(trailers?.bytes.toString()).toContain("grpc-status: 0");
  });

  it("may be padded in the middle, and arrive in any pieces", async () => {
    const text = parts.map((part) => part.toString("base64")).join("");
    expect(text).toMatch(/=[^=]/);
    for (const size of [1, 3, 7, 1_000]) {
      const pieces = text.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
      const body = ReadableStream.from(pieces.map((piece) => Buffer.from(piece)));
      const [message] = readFrames(decode(await (await call(getClassifier, body)).text()));
      expect(fromBinary(ClassifierDetailSchema, message?.bytes ?? new Uint8Array()).name).toBe(id);
    }
  });

  it.each(["AAAA*", "AAA", "A===", "AA=A", "=AAA", "AAAA\n", "AA==A"])(
    "is refused if it is not base64: %j",
    async (body) => {
      const [trailers] = readFrames(decode(await (await call(getClassifier, body)).text()));
      expect(trailers?.bytes.toString()).toContain("grpc-status: 3\r\n");
      expect(trailers?.bytes.toString()).toContain("not%20valid%20base64");
    },
  );

  it("is refused in a codec that no service has", async () => {
    expect((await call(getClassifier, "", "application/grpc-web-text+thrift")).status).toBe(415);
  });

  it("transmits each message of a stream when it is sent", async () => {
    const { body } = await call(
      `${ExtractionService.typeName}/GetFileContent`,
      toFrame(new Uint8Array()).toString("base64"),
    );
    let text = "";
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString();
      release();
    }
    expect(readFrames(decode(text)).map(({ flags }) => flags)).toEqual([0, 0, 0x80]);
  });
});
