import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, createClient } from "@connectrpc/connect";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { Health, HealthCheckResponse_ServingStatus } from "@switchyard/contracts/grpc/health/v1/health";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createChannelTransport } from "../channels/channel.ts";
import { getProblemFacts, unauthenticated, unavailable } from "../errors.ts";
import { checkHealth } from "../health/health.ts";
import { serverInterceptors } from "../interceptors/chains.ts";
import { createReadiness } from "../health/readiness.ts";
import { createRpcRequestHandler } from "./request-handler.ts";
import { serveRpc } from "./serving.ts";
import { collect, getFailure, recordingLogger, registerSome, toStream } from "../testing/test-services.ts";

const refusing = () => () => Promise.reject(unauthenticated("IDENTITY_INVALID", "Who are you?"));

describe("serveRpc", () => {
  it("finishes calls in progress before it closes, and accepts no new ones", async () => {
    let begun = (): void => undefined;
    const started = new Promise<void>((resolve) => (begun = resolve));
    const server = await serveRpc({
      host: "127.0.0.1",
      port: 0,
      interceptors: [],
      services: [
        registerSome(ClassifierService, {
          async createClassifier() {
            begun();
            await sleep(300);
            return { name: "done" };
          },
        }),
      ],
    });
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}` });
    const client = createClient(ClassifierService, transport);
    const response = client.createClassifier({});
    await started;
    const begin = performance.now();
    const closed = server.close();
    const late = getFailure(client.createClassifier({}));
    expect((await response).name).toBe("done");
    await closed;
    expect(performance.now() - begin).toBeLessThan(20_000);
    expect(getProblemFacts(await late).code).toBe(Code.Unavailable);
    await expect(server.close()).resolves.toBeUndefined();
    transport.close();
  });

  it("aborts calls that exceed the grace period with Unavailable", async () => {
    let begun = (): void => undefined;
    const started = new Promise<void>((resolve) => (begun = resolve));
    const server = await serveRpc({
      host: "127.0.0.1",
      port: 0,
      closeGraceMs: 100,
      interceptors: serverInterceptors({ logger: recordingLogger().logger }),
      services: [
        registerSome(ClassifierService, {
          async createClassifier() {
            begun();
            await sleep(60_000, undefined, { ref: false });
            return {};
          },
        }),
      ],
    });
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}` });
    const failure = getFailure(createClient(ClassifierService, transport).createClassifier({}));
    await started;
    await server.close();
    expect(getProblemFacts(await failure)).toMatchObject({ code: Code.Unavailable, reason: "SHUTTING_DOWN" });
    transport.close();
  });

  it("closes after the grace period although a client keeps its half of a connection open", async () => {
    const server = await serveRpc({ host: "127.0.0.1", port: 0, closeGraceMs: 100, interceptors: [], services: [] });
    const client = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    client.on("error", () => undefined);
    const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    client.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), emptySettings]));
    await once(client, "data");
    const closed = server.close().then(() => "closed");
    expect(await Promise.race([closed, sleep(6_000, "still open", { ref: false })])).toBe("closed");
    client.destroy();
    await closed;
  });

  it("reports its health without an identity, and its shutdown to watchers", async () => {
    const services = [registerSome(ClassifierService, {})];
    const server = await serveRpc({ host: "127.0.0.1", port: 0, services, interceptors: [refusing] });
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}` });
    const health = createClient(Health, transport);
    const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;
    expect((await health.check({})).status).toBe(SERVING);
    expect((await health.check({ service: ClassifierService.typeName })).status).toBe(SERVING);
    expect(getProblemFacts(await getFailure(health.check({ service: "x.Y" }))).code).toBe(Code.NotFound);
    expect(Object.keys((await health.list({})).statuses)).toEqual(["", ClassifierService.typeName]);
    const refused = await getFailure(createClient(ClassifierService, transport).getClassifier({}));
    expect(getProblemFacts(refused).reason).toBe("IDENTITY_INVALID");

    const seen: number[] = [];
    const watching = (async () => {
      for await (const { status } of health.watch({})) {
        seen.push(status);
        if (status === SERVING) void server.close();
      }
    })();
    await watching;
    expect(seen).toEqual([SERVING, NOT_SERVING]);
    await server.close();
    transport.close();
    expect(SERVICE_UNKNOWN).toBe(3);
  });

  it("is healthy only while its checks pass, and otherwise reports the reason", async () => {
    let missing: Error | undefined = unavailable("STORAGE_FULL", "No space.");
    const ready = createReadiness([async () => void (await Promise.resolve(missing).then(thrown))]);
    const server = await serveRpc({ host: "127.0.0.1", port: 0, services: [], interceptors: [refusing], ready });
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}` });
    expect((await createClient(Health, transport).check({})).status).toBe(
      HealthCheckResponse_ServingStatus.NOT_SERVING,
    );
    expect(getProblemFacts(await getFailure(checkHealth(transport, 5_000)))).toMatchObject({
      code: Code.Unavailable,
      reason: "STORAGE_FULL",
    });
    missing = undefined;
    await checkHealth(transport, 5_000);
    transport.close();
    await server.close();
  });

  it("refuses messages that are too large with a reason, including compressed ones and those of streams", async () => {
    const server = await serveRpc({
      ...{ host: "127.0.0.1", port: 0, readMaxBytes: 1_000 },
      interceptors: serverInterceptors({ logger: recordingLogger().logger }),
      services: [
        registerSome(ClassifierService, { getClassifier: ({ classifierId }) => ({ id: classifierId }) }),
        registerSome(ExtractionService, {
          async uploadFile(messages) {
            return { size: (await collect(messages)).length };
          },
        }),
      ],
    });
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const compressed = { sendCompression: compressionGzip, compressMinBytes: 0 };
    for (const options of [{}, compressed]) {
      for (const transport of [
        createGrpcTransport({ baseUrl, ...options }),
        createGrpcWebTransport({ baseUrl, httpVersion: "2", ...options }),
        createConnectTransport({ baseUrl, httpVersion: "2", ...options }),
      ]) {
        const classifiers = createClient(ClassifierService, transport);
        const files = createClient(ExtractionService, transport);
        for (const call of [
          () => classifiers.getClassifier({ classifierId: "x".repeat(2_000) }),
          () => files.uploadFile(toStream({ filename: "a.txt" }, { data: new Uint8Array(2_000) })),
        ]) {
          const failure = await getFailure(call());
          expect(getProblemFacts(failure)).toMatchObject({
            code: Code.ResourceExhausted,
            reason: "PAYLOAD_TOO_LARGE",
            message: "A message may have at most 1000 bytes.",
          });
        }
      }
    }
    await server.close();
  });

  it("rejects a port that is in use", async () => {
    const server = await serveRpc({ host: "127.0.0.1", port: 0, services: [], interceptors: [] });
    const second = serveRpc({ host: "127.0.0.1", port: server.port, services: [], interceptors: [] });
    await expect(second).rejects.toThrow("EADDRINUSE");
    await server.close();
  });
});

describe("createRpcRequestHandler", () => {
  it("serves Connect over HTTP/1.1 next to other paths, within its limit", async () => {
    const handler = createRpcRequestHandler({
      services: [registerSome(ClassifierService, { getClassifier: ({ classifierId }) => ({ id: classifierId }) })],
      interceptors: [],
      readMaxBytes: 1_000,
      fallback: (_, response) => {
        response.writeHead(418);
        response.end();
      },
    });
    const server = createServer(handler);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = createClient(ClassifierService, createConnectTransport({ baseUrl, httpVersion: "1.1" }));

    expect((await client.getClassifier({ classifierId: "cls_1" })).id).toBe("cls_1");
    const tooLarge = await getFailure(client.getClassifier({ classifierId: "x".repeat(2_000) }));
    expect(getProblemFacts(tooLarge)).toMatchObject({ code: Code.ResourceExhausted, reason: "PAYLOAD_TOO_LARGE" });
    expect((await fetch(`${baseUrl}/elsewhere`)).status).toBe(418);
    const path = `/${ClassifierService.typeName}/GetClassifier`;
    const asks = (url: string | undefined, method = "GET", type = "") =>
      handler.handles({ method, url, headers: { "content-type": type } });
    expect([asks(`${path}?encoding=json`), asks("/elsewhere"), asks(undefined)]).toEqual([true, false, false]);
    expect(asks("/a.B/Missing", "POST", "application/json")).toBe(true);
    expect([asks("/a.B/Missing"), asks("/a.B/Missing", "POST", "text/plain")]).toEqual([false, false]);
    expect(asks("/docs/page", "POST", "application/json")).toBe(false);
    const json = await fetch(baseUrl + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ classifierId: "cls_2" }),
    });
    expect(await json.json()).toMatchObject({ id: "cls_2" });
    server.closeAllConnections();
    server.close();
  });

  it("prints nothing if clients disconnect during responses", async () => {
    const printed: unknown[] = [];
    const original = console.error;
    console.error = (...values: unknown[]) => void printed.push(values);
    const { logger, lines } = recordingLogger();
    const server = await serveRpc({
      host: "127.0.0.1",
      port: 0,
      logger,
      interceptors: serverInterceptors({ logger }),
      services: [
        registerSome(Health, {
          async *watch() {
            for (;;) {
              yield { status: 1 };
              await sleep(1);
            }
          },
        }),
      ],
      reflection: false,
    });
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}` });
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const signal = AbortSignal.timeout(20 + index * 3);
        await getFailure(collect(createClient(Health, transport).watch({}, { signal })));
      }),
    );
    await sleep(100);
    transport.close();
    await server.close();
    console.error = original;
    expect(printed).toEqual([]);
    expect(lines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  it.each([
    ["gRPC", createGrpcTransport],
    ["gRPC-Web", createGrpcWebTransport],
    ["Connect", createConnectTransport],
  ])("logs no warning if a client leaves before the response, over %s and HTTP/2", async (_title, createTransport) => {
    const { logger, lines } = recordingLogger();
    let begun = 0;
    const server = await serveRpc({
      ...{ host: "127.0.0.1", port: 0, logger, interceptors: serverInterceptors({ logger }) },
      services: [
        registerSome(ClassifierService, {
          async getClassifier() {
            begun += 1;
            return new Promise<never>(() => undefined);
          },
        }),
        registerSome(ExtractionService, {
          async uploadFile() {
            begun += 1;
            return new Promise<never>(() => undefined);
          },
        }),
      ],
    });
    const transport = createTransport({ baseUrl: `http://127.0.0.1:${server.port}`, httpVersion: "2" });
    const leaving = new AbortController();
    const { signal } = leaving;
    const calls = [
      createClient(ClassifierService, transport).getClassifier({}, { signal }),
      createClient(ExtractionService, transport).uploadFile(toStream({ filename: "a.txt" }), { signal }),
    ].map(getFailure);
    while (begun < calls.length) await sleep(5);
    leaving.abort();
    await Promise.all(calls);
    while (lines.filter(({ msg }) => msg === "call").length < calls.length) await sleep(5);
    await server.close();
    expect(lines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });
});

function thrown(error: Error | undefined): void {
  if (error !== undefined) throw error;
}
