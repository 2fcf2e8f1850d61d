import { once } from "node:events";
import type { Socket } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Health } from "@switchyard/contracts/grpc/health/v1/health";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import {
  acknowledged,
  callHeaders,
  emptyMessage,
  endHeaders,
  endStream,
  frame,
  noWindow,
  preface,
} from "@switchyard/rpc/testing";
import { closed, usePorts } from "../testing/ports.ts";

const ports = usePorts();
const { start, dial, servesOthers, eventuallyServesOthers } = ports;
const health = "/grpc.health.v1.Health/Check";
const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/** Creates the headers of `count` requests without their end. */
function halfOpen(count: number, path = health, token?: string): Buffer {
  const headers = callHeaders(path, token);
  return Buffer.concat(
    Array.from({ length: count }, (_, index) => frame("headers", endHeaders, 2 * index + 1, headers)),
  );
}

/** Creates `count` complete requests with an empty message. */
function whole(count: number, path = health): Buffer {
  const headers = callHeaders(path);
  return Buffer.concat(
    Array.from({ length: count }, (_, index) => [
      frame("headers", endHeaders, 2 * index + 1, headers),
      frame("data", endStream, 2 * index + 1, emptyMessage),
    ]).flat(),
  );
}

describe("the gRPC port", () => {
  it.each([
    ["health", health],
    ["reflection", reflection],
  ])("limits the streams of a connection that has not acknowledged the settings: %s", async (_title, path) => {
    await start({ maxConcurrentStreams: 50 });
    const attackers = Array.from({ length: 4 }, () =>
      dial(ports.system.gateway.grpcPort, preface, noWindow, halfOpen(400, path)),
    );
    await Promise.all(attackers.map(closed));
    await expect.poll(() => ports.system.gateway.count().grpc.requests).toBe(0);
    await expect.poll(() => ports.system.gateway.count().grpc.connections).toBe(0);
    await servesOthers();
  });

  it("resets incomplete requests and unread responses, and keeps the connection", async () => {
    await start({ requestTimeoutMs: 300, responseTimeoutMs: 300 });
    const slow = dial(ports.system.gateway.grpcPort, preface, noWindow, acknowledged, halfOpen(20, reflection));
    const notReading = dial(ports.system.gateway.grpcPort, preface, noWindow, acknowledged, whole(20));
    slow.resume();
    notReading.resume();
    await expect.poll(() => ports.system.gateway.count().grpc.requests).toBeGreaterThan(0);
    await expect.poll(() => ports.system.gateway.count().grpc.requests).toBe(0);
    expect(slow.destroyed || notReading.destroyed).toBe(false);
    await eventuallyServesOthers();
  });

  it("does not reset complete requests whose response takes long", async () => {
    await start({ requestTimeoutMs: 200, responseTimeoutMs: 200, deadlineMs: 30_000 });
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${ports.system.gateway.grpcPort}` });
    const headers = { authorization: `Bearer ${ports.system.token}` };
    const controller = new AbortController();
    const watch = async () => {
      const responses = createClient(Health, transport).watch({}, { headers, signal: controller.signal });
      const watching = responses[Symbol.asyncIterator]();
      await watching.next();
      return watching;
    };
    // On a busy machine, a request may exceed the limit before its first response.
    let watching = await watch().catch(() => undefined);
    for (let tries = 0; watching === undefined && tries < 20; tries += 1)
      watching = await watch().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(ports.system.gateway.count().grpc.requests).toBe(1);
    controller.abort();
    await watching?.next().catch(() => undefined);
  });

  it("closes connections without a preface, with unanswered pings, and without requests", async () => {
    await start({ headersTimeoutMs: 300, pingIntervalMs: 200, pingTimeoutMs: 300, idleTimeoutMs: 60_000 });
    await closed(dial(ports.system.gateway.grpcPort));
    await closed(dial(ports.system.gateway.grpcPort, preface, noWindow));
    // This one acknowledges the settings, and then sends nothing.
    await closed(dial(ports.system.gateway.grpcPort, preface, noWindow, acknowledged, whole(1)));
    await ports.system.stop();
    await start({ idleTimeoutMs: 300 });
    await closed(dial(ports.system.gateway.grpcPort, preface, noWindow, acknowledged));
    await expect.poll(() => ports.system.gateway.count().grpc.connections).toBe(0);
    expect(ports.system.gateway.count().grpc.requests).toBe(0);
  });

  it.each([
    ["PING", frame("ping", 0, 0, Buffer.alloc(8))],
    ["SETTINGS", noWindow],
    ["empty DATA", Buffer.concat([frame("data", 0, 1)])],
  ])("closes connections that flood it with %s", async (_title, bytes) => {
    await start({});
    const socket = dial(ports.system.gateway.grpcPort, preface, noWindow, acknowledged, halfOpen(1));
    const burst = Buffer.concat(Array.from({ length: 3_000 }, () => bytes));
    socket.write(burst);
    await closed(socket);
    await expect.poll(() => ports.system.gateway.count().grpc.requests).toBe(0);
    await servesOthers();
  });

  it("accepts a new connection and a new request when waiting ones use up the limits", async () => {
    await start({ maxConnections: 20, maxRequests: 60, maxConcurrentStreams: 10 });
    for (let index = 0; index < 30; index += 1) dial(ports.system.gateway.grpcPort);
    for (let index = 0; index < 10; index += 1) {
      dial(ports.system.gateway.grpcPort, preface, noWindow, acknowledged, halfOpen(10)).resume();
    }
    await expect.poll(() => ports.system.gateway.count().grpc.requests).toBe(60);
    await servesOthers();
    expect(ports.system.gateway.count().grpc.connections).toBeLessThanOrEqual(21);
    expect(ports.system.gateway.count().grpc.requests).toBeLessThanOrEqual(60);
  });

  it("aborts the unread responses that wait longest when they exceed the limit", async () => {
    await start({ maxUnreadBytes: 1_000_000 });
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${ports.system.gateway.grpcPort}` });
    const headers = { authorization: `Bearer ${ports.system.token}` };
    const responses = Array.from({ length: 40 }, () =>
      createClient(ExtractionService, transport)
        .getFileContent({ fileId: "fil_1" }, { headers })
        [Symbol.asyncIterator](),
    );
    // Each reads its first part, and then no more: 40 windows are full, and a part waits behind each of them. Some may be aborted before
    // this process, which is also the gateway, reads their first part.
    await Promise.allSettled(responses.map((response) => response.next()));
    await expect.poll(() => ports.system.gateway.count().grpc.requests).toBeLessThan(40);
    await servesOthers();
  });
});

describe("the HTTP port", () => {
  it("accepts a new connection when idle ones and incomplete requests use up the limit", async () => {
    await start({ maxConnections: 20 });
    for (let index = 0; index < 30; index += 1) dial(ports.system.gateway.port);
    await servesOthers();
    const body = `POST /api/v1/classify HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ports.system.token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`;
    for (let index = 0; index < 30; index += 1) dial(ports.system.gateway.port, Buffer.from(body));
    await servesOthers();
    expect(ports.system.gateway.count().http.connections).toBeLessThanOrEqual(21);
  });

  it("starts complete requests before those whose bodies have not arrived", async () => {
    await start({});
    const answered: string[] = [];
    const sockets = Array.from({ length: 201 }, () => dial(ports.system.gateway.port));
    await expect.poll(() => ports.system.gateway.count().http.connections).toBe(sockets.length);
    // Without a valid token, a request is answered as soon as it is started.
    const unauthorized = "/api/v1/classify HTTP/1.1\r\nhost: x\r\n";
    const begun = Buffer.from(`POST ${unauthorized}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{`);
    for (const [index, socket] of sockets.entries()) {
      const [kind, bytes] = index < 200 ? ["begun", begun] : ["complete", `GET ${unauthorized}\r\n`];
      socket.once("data", () => answered.push(kind));
      socket.write(bytes);
    }
    await expect.poll(() => answered.length).toBe(201);
    expect(answered.indexOf("complete")).toBeLessThan(100);
  });

  it("keeps connections that were served before, rather than new ones that send nothing", async () => {
    await start({ maxConnections: 20 });
    const served = dial(ports.system.gateway.port);
    const ask = async (): Promise<string> => {
      served.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
      return String(await once(served, "data"));
    };
    expect(await ask()).toMatch(/^HTTP\/1\.1 200 /);
    for (let index = 0; index < 60; index += 1) await once(dial(ports.system.gateway.port), "connect");
    await servesOthers();
    expect(await ask()).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("responds to every connection of a burst that exceeds the limit", async () => {
    await start({ maxConnections: 10 });
    const asking = Array.from({ length: 300 }, () => {
      const socket = dial(ports.system.gateway.port, Buffer.from("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"));
      return new Promise<string>((resolve) => {
        socket.once("data", (response) => resolve(String(response).slice(0, 12)));
        socket.once("close", () => resolve("closed"));
      });
    });
    for (const response of await Promise.all(asking)) expect(["HTTP/1.1 200", "HTTP/1.1 503"]).toContain(response);
    await expect.poll(() => ports.system.gateway.count().http.connections).toBeLessThanOrEqual(10);
    await servesOthers();
  });

  it.each([{ maxConnections: 0 }, { maxRequests: 0 }])(
    "responds with 503 if its limits are exceeded: %j",
    async (limits) => {
      await start(limits);
      const response = await fetch(`${ports.system.gateway.url}/healthz`);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(await response.json()).toMatchObject({ status: 503, code: "OVERLOADED" });
    },
  );

  it("closes idle connections after the time that it tells clients, which is longer than that of common proxies", async () => {
    const ask = async (): Promise<[socket: Socket, seconds: number]> => {
      const socket = dial(ports.system.gateway.port, Buffer.from("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"));
      const [response] = (await once(socket, "data")) as [Buffer];
      return [socket, Number(/^keep-alive: timeout=(\d+)/im.exec(response.toString())?.[1])];
    };
    await start({});
    expect((await ask())[1]).toBeGreaterThan(60);
    await ports.system.stop();
    await start({ idleTimeoutMs: 1_000 });
    const [socket, seconds] = await ask();
    expect(seconds).toBe(1);
    await closed(socket);
  });

  it("closes connections that do not read their responses", async () => {
    await start({ responseTimeoutMs: 300 });
    const authorization = `authorization: Bearer ${ports.system.token}`;
    const request = `GET /api/v1/files/flood/content HTTP/1.1\r\nhost: x\r\n${authorization}\r\n\r\n`;
    dial(ports.system.gateway.port, Buffer.from(request)).pause();
    await expect.poll(() => ports.system.gateway.count().http.requests).toBeGreaterThan(0);
    await expect.poll(() => ports.system.gateway.count().http.connections).toBe(0);
    await eventuallyServesOthers();
  });
});

it("closes a connection that keeps sending requests without reading responses", async () => {
  await start({});
  await closed(
    dial(ports.system.gateway.port, Buffer.from("GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(200))),
  );
  await servesOthers();
});
