import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getProblemFacts } from "../../errors.ts";
import { toFrame } from "../../serving/unary/message-frame.ts";
import { grpc } from "../../testing/channel-peers.ts";
import { endHeaders, frame, headerBlock, word } from "../../testing/http2-frames.ts";
import { startFramePeer, startPeer } from "../../testing/peers.ts";
import { collect, getFailure } from "../../testing/test-services.ts";
import { createChannelTransport } from "../channel.ts";

const empty = toFrame(new Uint8Array());
const name = (text: string): Buffer => toFrame(Buffer.from([0x12, text.length, ...Buffer.from(text)]));
const data = (text: string): Buffer => toFrame(Buffer.from([0x12, text.length, ...Buffer.from(text)]));

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Returns a transport to a server that handles each call as given. */
async function connect(onStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void) {
  const peer = await startPeer(onStream);
  const transport = createChannelTransport({ target: `127.0.0.1:${peer.port}` });
  closing.push(
    () => transport.close(),
    () => peer.close(),
  );
  return transport;
}

/** Responds with headers, chunks of DATA and trailers. */
function respond(
  stream: ServerHttp2Stream,
  chunks: readonly Buffer[],
  trailers: OutgoingHttpHeaders = { "grpc-status": "0" },
  header: OutgoingHttpHeaders = grpc,
): void {
  stream.respond(header, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers(trailers));
  stream.resume();
  void (async () => {
    for (const chunk of chunks) await new Promise((resolve) => stream.write(chunk, () => setTimeout(resolve, 5)));
    stream.end();
  })();
}

const getName = async (onStream: (stream: ServerHttp2Stream) => void) =>
  (await createClient(ClassifierService, await connect(onStream)).getClassifier({})).name;
/** Makes a call that is not attempted again, and returns its error. */
const fail = async (onStream: (stream: ServerHttp2Stream) => void) =>
  getFailure(createClient(ClassifierService, await connect(onStream)).createClassifier({}));

describe("the response of a call", () => {
  it("is read however its message is divided", async () => {
    const bytes = name("Invoices");
    expect(await getName((stream) => respond(stream, [bytes]))).toBe("Invoices");
    expect(
      await getName((stream) =>
        respond(
          stream,
          [...bytes].map((byte) => Buffer.from([byte])),
        ),
      ),
    ).toBe("Invoices");
  });

  it("may have several messages in one frame if it is a stream", async () => {
    const [one, two] = [data("one"), data("two")];
    const transport = await connect((stream) =>
      respond(stream, [Buffer.concat([one, two.subarray(0, 3)]), two.subarray(3)]),
    );
    const messages = await collect(createClient(ExtractionService, transport).getFileContent({}));
    expect(messages.map((message) => Buffer.from(message.data).toString())).toEqual(["one", "two"]);
  });

  const statuses: readonly [string, OutgoingHttpHeaders, Code, string][] = [
    ["a status", { "grpc-status": "5", "grpc-message": "no%20%E5%90%8D" }, Code.NotFound, "no 名"],
    [
      "a message that is badly encoded",
      { "grpc-status": "5", "grpc-message": "50 % of%zz" },
      Code.NotFound,
      "50 % of%zz",
    ],
    ["an unknown status", { "grpc-status": "99", "grpc-message": "what" }, Code.Unknown, "what"],
    ["a status that is not a number", { "grpc-status": "OK" }, Code.Unknown, ""],
    ["malformed details", { "grpc-status": "9", "grpc-message": "kept", "grpc-status-details-bin": "%%" }, 9, "kept"],
    [
      "Unavailable",
      { "grpc-status": "14", "grpc-message": "10.0.0.1" },
      Code.Unavailable,
      "The service cannot be reached.",
    ],
  ];
  it.each(statuses)("fails with its status, with or without headers: %s", async (_title, trailers, code, message) => {
    for (const onStream of [
      (stream: ServerHttp2Stream) => respond(stream, [], trailers),
      (stream: ServerHttp2Stream) => stream.respond({ ...grpc, ...trailers }, { endStream: true }),
      // Node.js ends these trailers with an empty DATA frame before them.
      (stream: ServerHttp2Stream) => respond(stream, [empty], trailers),
    ]) {
      expect(getProblemFacts(await fail(onStream))).toMatchObject({ code, message });
    }
  });

  const protocolErrors: readonly [string, readonly Buffer[], string][] = [
    ["is compressed", [Buffer.from([1, 0, 0, 0, 0])], "A response is compressed, but no compression was offered."],
    ["has two messages in one frame", [Buffer.concat([empty, empty])], "A call received more than one response."],
    ["ends within a message", [name("Invoices").subarray(0, 9)], "A response ends within a message."],
    ["ends within the head of a message", [empty.subarray(0, 3)], "A response ends within a message."],
  ];
  it.each(protocolErrors)("is refused as Internal if it %s", async (_title, chunks, message) => {
    const error = await fail((stream) => respond(stream, chunks));
    expect(getProblemFacts(error)).toMatchObject({ code: Code.Internal, reason: "PROTOCOL_ERROR", message });
  });

  it("is refused if a message exceeds 64 MiB, before it has arrived", async () => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(64 * 1024 * 1024 + 1, 1);
    let resetCode: Promise<number> | undefined;
    const error = await fail((stream) => {
      resetCode = new Promise((resolve) => stream.once("close", () => resolve(stream.rstCode)));
      stream.respond(grpc);
      stream.write(head);
    });
    expect(getProblemFacts(error)).toMatchObject({ code: Code.ResourceExhausted });
    expect(await resetCode).toBe(8);
  });

  it("is accepted with a message of 64 MiB", async () => {
    const transport = await connect((stream) => {
      // A `data` field of all bytes but its tag and its length.
      const body = Buffer.alloc(64 * 1024 * 1024);
      Buffer.from([0x12, 0xfb, 0xff, 0xff, 0x1f]).copy(body);
      respond(stream, [toFrame(body)]);
    });
    const [message] = await collect(createClient(ExtractionService, transport).getFileContent({}));
    expect(message?.data.length).toBe(64 * 1024 * 1024 - 5);
  });

  it.each([
    [400, Code.Internal],
    [401, Code.Unauthenticated],
    [403, Code.PermissionDenied],
    [404, Code.Unimplemented],
    [429, Code.Unavailable],
    [500, Code.Unknown],
    [502, Code.Unavailable],
    [503, Code.Unavailable],
    [504, Code.Unavailable],
    [200, Code.Unknown],
  ])("that is a page with the HTTP status %i fails with the code %i", async (status, code) => {
    const page = Buffer.from("<html>".repeat(10_000));
    const error = await fail((stream) => {
      stream.respond({ ":status": status, "content-type": "text/html" });
      stream.end(page);
    });
    expect(getProblemFacts(error).code).toBe(code);
    const withoutBody = await fail((stream) => stream.respond({ ":status": status }, { endStream: true }));
    expect(getProblemFacts(withoutBody).code).toBe(code);
  });

  it("that fails without details keeps its headers and trailers as metadata", async () => {
    const trailers = { "grpc-status": "5", "x-last": "end" };
    for (const onStream of [
      (stream: ServerHttp2Stream) => respond(stream, [], trailers, { ...grpc, "x-first": "begin" }),
      (stream: ServerHttp2Stream) => stream.respond({ ...grpc, ...trailers, "x-first": "begin" }, { endStream: true }),
    ]) {
      const { metadata } = ConnectError.from(await fail(onStream));
      expect([metadata.get("x-first"), metadata.get("x-last")]).toEqual(["begin", "end"]);
    }
  });

  it("that has no status fails as Internal", async () => {
    const error = await fail((stream) => {
      stream.respond(grpc);
      stream.end(empty);
    });
    expect(getProblemFacts(error)).toMatchObject({ code: Code.Internal, message: "The response has no gRPC status." });
  });

  it.each([
    ["NO_ERROR", 0, Code.Internal],
    ["PROTOCOL_ERROR", 1, Code.Internal],
    ["INTERNAL_ERROR", 2, Code.Internal],
    ["REFUSED_STREAM", 7, Code.Unavailable],
    ["CANCEL", 8, Code.Canceled],
    ["ENHANCE_YOUR_CALM", 11, Code.ResourceExhausted],
    ["INADEQUATE_SECURITY", 12, Code.PermissionDenied],
  ])("that the server resets with %s fails, before and after its headers", async (_name, reset, code) => {
    for (const begin of ["at once", "after its headers"]) {
      const peer = await startFramePeer(({ type, stream }, socket) => {
        if (type !== 1) return;
        if (begin !== "at once") {
          socket.write(
            frame("headers", endHeaders, stream, headerBlock({ ":status": "200", "content-type": "application/grpc" })),
          );
          socket.write(frame("data", 0, stream, empty.subarray(0, 2)));
        }
        socket.write(frame("reset", 0, stream, word(reset)));
      });
      const transport = createChannelTransport({ target: `127.0.0.1:${peer.port}` });
      closing.push(
        () => transport.close(),
        () => peer.close(),
      );
      const error = await getFailure(createClient(ClassifierService, transport).createClassifier({}));
      expect(getProblemFacts(error).code).toBe(code);
    }
  });

  it("fails as Unavailable if the connection is lost, even after its headers", async () => {
    for (const answer of [() => undefined, (stream: ServerHttp2Stream) => stream.respond(grpc)]) {
      const error = await fail((stream) => {
        answer(stream);
        setTimeout(() => stream.session?.socket.destroy(), 20);
      });
      const { code, message } = getProblemFacts(error);
      expect({ code, message }).toEqual({ code: Code.Unavailable, message: "The service cannot be reached." });
      expect((error as Error).cause).toBeInstanceOf(Error);
    }
  });

  it("delivers what came before the loss of the connection", async () => {
    const transport = await connect((stream) => {
      stream.respond(grpc);
      stream.write(Buffer.concat([data("one"), data("two")]), () =>
        setTimeout(() => stream.session?.socket.destroy(), 20),
      );
    });
    const seen: string[] = [];
    const read = async () => {
      for await (const message of createClient(ExtractionService, transport).getFileContent({}))
        seen.push(Buffer.from(message.data).toString());
    };
    expect(getProblemFacts(await getFailure(read())).code).toBe(Code.Unavailable);
    expect(seen).toEqual(["one", "two"]);
  });
});

describe("the request of a call", () => {
  it("has the headers of gRPC and those of the caller, without those of a connection", async () => {
    let received: IncomingHttpHeaders = {};
    const transport = await connect((stream, headers) => {
      received = headers;
      respond(stream, [empty]);
    });
    const headers = { "x-own": "a", "own-bin": "AAE, Ag==", connection: "close", "content-length": "3", te: "gzip" };
    await createClient(ClassifierService, transport).getClassifier({}, { headers, timeoutMs: 5_000 });
    expect(received).toMatchObject({
      ":method": "POST",
      ":path": "/switchyard.classifier.v1.ClassifierService/GetClassifier",
      ":authority": expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      "content-type": "application/grpc+proto",
      te: "trailers",
      "user-agent": expect.stringMatching(/^grpc-node-/),
      "x-own": "a",
      "own-bin": "AAE, Ag==",
    });
    expect(received["grpc-timeout"]).toMatch(/^(4\d{3}|5000)m$/);
    for (const name of ["connection", "content-length", "grpc-encoding", "grpc-accept-encoding"]) {
      expect(received).not.toHaveProperty(name);
    }
  });
});
