import { once } from "node:events";
import { connect } from "node:net";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { endHeaders, endStream, frame, headerBlock, preface } from "../testing/http2-frames.ts";
import { registerSome } from "../testing/test-services.ts";
import { serveRpc, type RpcServer } from "./serving.ts";

const reset = 3;
const message = Buffer.from("{}");
let server: RpcServer;
beforeAll(async () => {
  const services = [registerSome(ClassifierService, {})];
  server = await serveRpc({ host: "127.0.0.1", port: 0, interceptors: [], services });
});
afterAll(() => server.close());

/** Sends a call over HTTP/2, and returns the types and flags of the frames of its response until it has ended or was reset. */
async function readFrames(type: string, body: Uint8Array, flags: number): Promise<{ type: number; flags: number }[]> {
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  const headers = { ":method": "POST", ":scheme": "http", ":path": "/no.such.Service/Method", ":authority": "x" };
  socket.write(Buffer.concat([preface, frame("settings", 0, 0)]));
  socket.write(frame("headers", endHeaders, 1, headerBlock({ ...headers, "content-type": type })));
  socket.write(frame("data", flags, 1, body));
  const frames: { type: number; flags: number }[] = [];
  let received = Buffer.alloc(0);
  try {
    for (;;) {
      const [chunk] = (await once(socket, "data", { signal: AbortSignal.timeout(10_000) })) as [Buffer];
      received = Buffer.concat([received, chunk]);
      while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
        const [length, kind, flag, stream] = [
          received.readUIntBE(0, 3),
          received[3],
          received[4],
          received.readUInt32BE(5),
        ];
        received = received.subarray(9 + length);
        if (stream !== 1) continue;
        frames.push({ type: kind ?? 0, flags: flag ?? 0 });
        if (kind === reset || ((flag ?? 0) & endStream) !== 0) return frames;
      }
    }
  } finally {
    socket.destroy();
  }
}

describe.each([
  ["application/proto", message],
  ["application/connect+json", encodeEnvelope(0, message)],
  ["application/grpc", encodeEnvelope(0, message)],
  ["application/grpc-web", encodeEnvelope(0, message)],
  ["text/plain", message],
])("an unknown method over HTTP/2 in %s", (type, body) => {
  it.each([
    ["whose request has ended", endStream],
    ["whose request has not ended", 0],
  ])("%s gets a response that ends before its stream is closed", async (_title, flags) => {
    const frames = await readFrames(type, body, flags);
    expect(frames.filter((each) => each.type === reset)).toEqual([]);
    expect((frames.at(-1)?.flags ?? 0) & endStream).toBe(endStream);
  });
});
