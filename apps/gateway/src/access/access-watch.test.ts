import { Code, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import {
  ExtractionService,
  GetFileContentRequestSchema,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { create, toBinary } from "@bufbuild/protobuf";
import { getProblemFacts } from "@switchyard/rpc";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { connect } from "node:http2";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { timeoutMs } from "../testing/ports.ts";
import { startTestGateway, type TestGateway, type TokenState, type Way } from "../testing/test-gateway.ts";

const everything = Object.values(Permission).filter(
  (permission) => permission > Permission.AUTHENTICATED && permission < 12,
);
const withoutProject: TokenState = { permissions: everything, projectIds: ["prj_1"] };
const withoutPermission: TokenState = {
  permissions: everything.filter((permission) => permission !== Permission.DOCUMENTS_READ),
  projectIds: ["prj_1", "prj_2"],
};

/** A way to lose access, and how it ends streams. */
interface Loss {
  state: TokenState;
  code: Code;
  reason: string;
}
const losses: readonly Loss[] = [
  { state: "revoked", code: Code.Unauthenticated, reason: "TOKEN_INVALID" },
  { state: withoutProject, code: Code.PermissionDenied, reason: "ACCESS_LOST" },
  { state: withoutPermission, code: Code.PermissionDenied, reason: "ACCESS_LOST" },
];

// The limit is 2 s; a busy machine gets `timeoutMs`. Without the watch, the streams last for a minute.
describe.each<Way>(["direct", "channel"])("open streams, with services reached %s", (way) => {
  let system: TestGateway;
  /** The connections that servers of this process have accepted, by the port of the client. */
  const connections = new Map<number, Socket>();
  const onConnection = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    connections.set(socket.remotePort ?? 0, socket);
  };
  beforeAll(async () => {
    subscribe("net.server.socket", onConnection);
    system = await startTestGateway({}, way);
  });
  afterAll(async () => {
    await system.stop();
    unsubscribe("net.server.socket", onConnection);
  });

  const headers = (token: string) => ({ authorization: `Bearer ${token}` });
  /** Runs one stream for each way to lose access, at the same time, and checks that none is left at its service. */
  async function forEachLoss(stream: (loss: Loss) => Promise<unknown>): Promise<void> {
    await Promise.all(losses.map(stream));
    await expect.poll(() => system.downloads.begun === system.downloads.ended).toBe(true);
    await expect.poll(() => system.uploads.begun === system.uploads.ended).toBe(true);
  }

  /** Waits until the client has not taken anything from the connection for a while, so that the server cannot send any more. */
  async function untilBlocked(connection: Socket): Promise<void> {
    for (let sent = -1; !connection.writableNeedDrain || connection.bytesWritten !== sent;) {
      sent = connection.bytesWritten;
      await sleep(100);
    }
  }

  /** Revokes the token of a response over HTTP/1.1 that is not read. What was sent before can still be read, but it has no end. */
  async function expectCutOff(response: IncomingMessage, token: string): Promise<void> {
    const connection = connections.get(response.socket.localPort ?? 0);
    if (connection === undefined) throw new Error("The server has not accepted this connection");
    const ended = once(response, "end", { signal: AbortSignal.timeout(timeoutMs) });
    const outcome = expect(ended).rejects.toMatchObject({ code: "ECONNRESET" });
    await untilBlocked(connection);
    system.change(token, "revoked");
    // Until the connection is closed, a client that begins to read would still receive the reason.
    await expect.poll(() => connection.destroyed).toBe(true);
    response.resume();
    await outcome;
    await expect.poll(() => system.downloads.begun === system.downloads.ended).toBe(true);
  }

  const transports: readonly [string, () => Transport][] = [
    ["Connect", () => createConnectTransport({ baseUrl: system.gateway.url, httpVersion: "1.1" })],
    ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: system.gateway.url, httpVersion: "1.1" })],
    ["gRPC", () => createGrpcTransport({ baseUrl: `http://127.0.0.1:${system.gateway.grpcPort}` })],
  ];

  describe.each(transports)("over %s", (_title, transport) => {
    const client = () => createClient(ExtractionService, transport());

    async function download({ state, code, reason }: Loss): Promise<void> {
      const token = system.issue();
      let messages = 0;
      const read = (async () => {
        for await (const _part of client().getFileContent({ fileId: "trickle" }, { headers: headers(token) })) {
          messages += 1;
          if (messages === 3) system.change(token, state);
        }
      })();
      expect(getProblemFacts(await read.catch((error: unknown) => error))).toMatchObject({ code, reason });
      expect(messages).toBeGreaterThanOrEqual(3);
    }

    async function upload({ state, code, reason }: Loss, begun: number): Promise<void> {
      const token = system.issue();
      const over = new AbortController();
      async function* parts() {
        yield { projectId: "prj_1", filename: "a.bin" };
        yield { data: new Uint8Array(10) };
        await expect.poll(() => system.uploads.begun === begun).toBe(true);
        system.change(token, state);
        while (!over.signal.aborted) {
          await sleep(20);
          yield { data: new Uint8Array(10) };
        }
        yield { last: true };
      }
      const call = client().uploadFile(parts(), { headers: headers(token) });
      expect(getProblemFacts(await call.catch((error: unknown) => error))).toMatchObject({ code, reason });
      over.abort();
    }

    it("end if access is lost, in both directions, and nothing is stored", async () => {
      const begun = system.uploads.begun + losses.length;
      await forEachLoss((loss) => Promise.all([download(loss), upload(loss, begun)]));
      expect(system.stored).toEqual([]);
    });
  });

  describe("over REST", () => {
    const open = (method: string, path: string, token: string): ClientRequest =>
      request({ method, port: system.gateway.port, path: `/api/v1/${path}`, headers: headers(token) });

    async function download({ state }: Loss): Promise<void> {
      const token = system.issue();
      const [response] = await once(open("GET", "files/trickle/content", token).end(), "response");
      expect(response.statusCode).toBe(200);
      response.once("data", () => system.change(token, state));
      await expect(once(response, "end", { signal: AbortSignal.timeout(timeoutMs) })).rejects.toMatchObject({
        code: "ECONNRESET",
      });
    }

    async function upload({ state, code }: Loss, begun: number): Promise<void> {
      const token = system.issue();
      const sent = open("POST", "projects/prj_1/files?filename=a.bin", token);
      sent.setHeader("content-type", "application/octet-stream");
      sent.on("error", () => undefined);
      sent.write("first");
      const timer = setInterval(() => sent.write("more"), 20);
      await expect.poll(() => system.uploads.begun === begun).toBe(true);
      system.change(token, state);
      const [response] = await once(sent, "response", { signal: AbortSignal.timeout(timeoutMs) });
      clearInterval(timer);
      sent.destroy();
      expect(response.statusCode).toBe(code === Code.Unauthenticated ? 401 : 403);
    }

    it("are aborted if access is lost, uploads with an error, and nothing is stored", async () => {
      const begun = system.uploads.begun + losses.length;
      await forEachLoss((loss) => Promise.all([download(loss), upload(loss, begun)]));
      expect(system.stored).toEqual([]);
    });
  });

  describe("of clients that do not read", () => {
    const path = "/switchyard.extraction.v1.ExtractionService/GetFileContent";
    function framed(message: Uint8Array): Buffer {
      const prefix = Buffer.alloc(5);
      prefix.writeUInt32BE(message.length, 1);
      return Buffer.concat([prefix, message]);
    }

    async function overGrpc(): Promise<void> {
      const token = system.issue();
      const session = connect(`http://127.0.0.1:${system.gateway.grpcPort}`);
      session.on("error", () => undefined);
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        ...headers(token),
      });
      stream.on("error", () => undefined);
      stream.end(
        framed(toBinary(GetFileContentRequestSchema, create(GetFileContentRequestSchema, { fileId: "flood" }))),
      );
      await once(stream, "response");
      await sleep(300);
      system.change(token, "revoked");
      await expect.poll(() => stream.closed || stream.destroyed).toBe(true);
      session.destroy();
    }

    async function overHttp(token: string, call: ClientRequest, body: Uint8Array): Promise<void> {
      const [response] = await once(call.end(body), "response");
      response.pause();
      await expectCutOff(response, token);
    }

    it("are aborted over REST, even if they are compressed, Connect and gRPC", async () => {
      const [one, two, three] = [system.issue(), system.issue(), system.issue()];
      const { port } = system.gateway;
      const rest = request({ port, path: "/api/v1/files/flood/content", headers: headers(one) });
      const compressed = request({
        port,
        path: "/api/v1/files/text_flood/content",
        headers: { ...headers(three), "accept-encoding": "gzip" },
      });
      const connectHeaders = { ...headers(two), "content-type": "application/connect+json" };
      const rpc = request({ method: "POST", port, path, headers: connectHeaders });
      await Promise.all([
        overGrpc(),
        overHttp(one, rest, new Uint8Array()),
        overHttp(three, compressed, new Uint8Array()),
        overHttp(two, rpc, framed(Buffer.from(JSON.stringify({ fileId: "flood" })))),
      ]);
      await expect.poll(() => system.downloads.begun === system.downloads.ended).toBe(true);
      expect(system.log.filter((line) => line.includes("request failed"))).toEqual([]);
    });
  });

  it("continue while callers cannot be looked up, and if a token gains rights", async () => {
    const token = system.issue();
    const client = createClient(
      ExtractionService,
      createConnectTransport({ baseUrl: system.gateway.url, httpVersion: "1.1" }),
    );
    const over = new AbortController();
    const begun = performance.now();
    let messages = 0;
    try {
      const options = { headers: headers(token), signal: over.signal };
      for await (const _part of client.getFileContent({ fileId: "trickle" }, options)) {
        messages += 1;
        if (messages === 3) system.change(token, "cannot be looked up");
        if (performance.now() - begun > 1_500) {
          system.change(token, { permissions: everything, projectIds: ["prj_1", "prj_2", "prj_3"] });
        }
        if (performance.now() - begun > 3_000) over.abort();
      }
    } catch (error) {
      expect(getProblemFacts(error).code).toBe(Code.Canceled);
    }
    expect(performance.now() - begun).toBeGreaterThan(3_000);
  });
});
