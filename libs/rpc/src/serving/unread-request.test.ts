import { once } from "node:events";
import { Agent, createServer as createHttpServer, request as sendRequest, type IncomingMessage } from "node:http";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { Code, createClient, type Transport } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createChannelTransport } from "../channels/channel.ts";
import { getProblemFacts, notFound } from "../errors.ts";
import { createRpcRequestHandler } from "./request-handler.ts";
import { serveRpc } from "./serving.ts";
import { discardUnread } from "./unread-request.ts";
import { getFailure, registerSome } from "../testing/test-services.ts";

/** Rejects uploads to "none" after the first message, responds to those to "short" after it, and reads others completely. */
const services = [
  registerSome(ExtractionService, {
    async uploadFile(requests) {
      let size = 0;
      for await (const { projectId, data } of requests) {
        if (projectId === "none") throw notFound("project", projectId);
        if (projectId === "short") break;
        size += data.length;
      }
      return { size };
    },
  }),
];
const pieces = 40;
const chunkBytes = 65_536;

async function* upload(projectId: string) {
  yield { projectId, filename: "a.bin" };
  for (let index = 0; index < pieces; index += 1) yield { data: new Uint8Array(chunkBytes) };
}

const transports: readonly [string, (port: number) => { transport: Transport; close: () => void }][] = [
  [
    "a channel",
    (port) => {
      const transport = createChannelTransport({ target: `127.0.0.1:${port}` });
      return { transport, close: () => transport.close() };
    },
  ],
  [
    "connect-node",
    (port) => ({
      transport: createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` }),
      close: () => undefined,
    }),
  ],
];

const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((close) => close()));

describe.each(transports)("requests of %s that are answered before they are read", (_title, open) => {
  it("leave no stream open, and the connection usable", async () => {
    const streams = new Set<ServerHttp2Stream>();
    let sessions = 0;
    const server = createServer(createRpcRequestHandler({ services, interceptors: [] }));
    server.on("session", (session) => {
      sessions += 1;
      cleanups.push(() => session.destroy());
      session.on("stream", (stream) => {
        streams.add(stream);
        stream.once("close", () => streams.delete(stream));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanups.push(() => server.close());
    const { transport, close } = open((server.address() as AddressInfo).port);
    cleanups.push(close);
    const client = createClient(ExtractionService, transport);
    for (let round = 0; round < 30; round += 1) {
      expect(getProblemFacts(await getFailure(client.uploadFile(upload("none"))))).toMatchObject({
        code: Code.NotFound,
        reason: "PROJECT_NOT_FOUND",
      });
      expect((await client.uploadFile(upload("short"))).size).toBe(0);
    }
    // Unread data does not reduce the window of the connection.
    expect((await client.uploadFile(upload("whole"))).size).toBe(pieces * chunkBytes);
    const deadline = performance.now() + 60_000;
    while (streams.size > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(streams.size).toBe(0);
    expect(sessions).toBe(1);
  });

  it("do not delay a closing server", async () => {
    const server = await serveRpc({ host: "127.0.0.1", port: 0, services, interceptors: [] });
    const { transport, close } = open(server.port);
    cleanups.push(close);
    const client = createClient(ExtractionService, transport);
    for (let round = 0; round < 10; round += 1) await getFailure(client.uploadFile(upload("none")));
    const begin = performance.now();
    await server.close();
    expect(performance.now() - begin).toBeLessThan(10_000);
  });
});

it.each<[string, string, Record<string, string>]>([
  ["a length", "none", {}],
  ["a length, after a response", "short", {}],
  ["chunks", "none", { "transfer-encoding": "chunked" }],
])(
  "requests over HTTP/1.1 that are answered early leave the connection to the next one: %s",
  async (_title, to, head) => {
    const server = createHttpServer(createRpcRequestHandler({ services, interceptors: [] })).listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanups.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanups.push(() => agent.destroy());
    const messages = [{ projectId: to }, ...Array.from({ length: 8 }, () => ({ data: "A".repeat(chunkBytes) }))];
    const body = Buffer.concat(messages.map((message) => encodeEnvelope(0, Buffer.from(JSON.stringify(message)))));
    const headers = { "content-type": "application/connect+json", ...head };
    const path = `/${ExtractionService.typeName}/UploadFile`;
    for (let round = 0; round < 3; round += 1) {
      const options = { port, path, method: "POST", agent, signal: AbortSignal.timeout(10_000) };
      const length = "transfer-encoding" in head ? {} : { "content-length": String(body.length) };
      const sent = sendRequest({ ...options, headers: { ...headers, ...length } }).end(body);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      response.resume();
      await once(response, "end");
      expect(response.statusCode).toBe(200);
    }
  },
);

it("the rest of a body is discarded in small steps, between which other requests have their turn", async () => {
  const steps: number[] = [];
  const server = createHttpServer((request, response) => {
    let read = request.socket.bytesRead;
    const observe = (): void => {
      steps.push(request.socket.bytesRead - read);
      read = request.socket.bytesRead;
      if (!response.writableEnded) setImmediate(observe);
    };
    observe();
    void discardUnread(request).then(() => response.end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const sent = sendRequest({ port, method: "POST", agent: false }).end(Buffer.alloc(6 * 1024 * 1024));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "close");
  // Without pauses, most steps are of 2 MiB.
  expect(Math.max(...steps)).toBeGreaterThan(0);
  expect(Math.max(...steps)).toBeLessThan(512 * 1024);
});
