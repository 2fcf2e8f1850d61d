import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Code, createClient } from "@connectrpc/connect";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createChannelTransport } from "./channel.ts";
import { getProblemFacts } from "../errors.ts";
import { freePort } from "../serving/free-port.ts";
import { clientInterceptors, serverInterceptors } from "../interceptors/chains.ts";
import { type RpcServer, serveRpc } from "../serving/serving.ts";
import { isIdempotent } from "./idempotency.ts";
import { getFailure, recordingLogger, registerSome } from "../testing/test-services.ts";

function serve(port: number, name: string): Promise<RpcServer> {
  return serveRpc({
    host: "127.0.0.1",
    port,
    closeGraceMs: 500,
    services: [
      registerSome(ClassifierService, {
        async getClassifier() {
          await sleep(2);
          return { name };
        },
      }),
    ],
    interceptors: serverInterceptors({ logger: recordingLogger().logger }),
  });
}

describe("createChannelTransport", () => {
  it("loses no idempotent call while its servers restart one after the other", async () => {
    const servers = [await serve(await freePort(), "a"), await serve(await freePort(), "b")];
    const ports = servers.map(({ port }) => port);
    const transport = createChannelTransport({
      target: `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(",")}`,
      interceptors: clientInterceptors({ timeoutMs: 10_000 }),
    });
    const client = createClient(ClassifierService, transport);
    const callsByServer = new Map<string, number>();
    const failures: unknown[] = [];
    let running = true;
    const workers = Array.from({ length: 8 }, async () => {
      while (running) {
        try {
          const { name } = await client.getClassifier({});
          callsByServer.set(name, (callsByServer.get(name) ?? 0) + 1);
        } catch (error) {
          failures.push(error);
        }
      }
    });
    for (let round = 0; round < 4; round++) {
      await sleep(250);
      const which = round % 2;
      await servers[which]?.close();
      await sleep(50);
      servers[which] = await serve(ports[which] ?? 0, which === 0 ? "a" : "b");
    }
    await sleep(250);
    running = false;
    await Promise.all(workers);
    transport.close();
    await Promise.all(servers.map((server) => server.close()));
    expect(failures).toEqual([]);
    expect(Math.min(callsByServer.get("a") ?? 0, callsByServer.get("b") ?? 0)).toBeGreaterThan(0);
  });

  it("retries idempotent calls while its only server restarts", async () => {
    const server = await serve(0, "before");
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}` });
    const client = createClient(ClassifierService, transport);
    expect((await client.getClassifier({})).name).toBe("before");
    await server.close();
    const response = client.getClassifier({});
    await sleep(150);
    const next = await serve(server.port, "after");
    expect((await response).name).toBe("after");
    transport.close();
    await next.close();
  });

  it("fails with Unavailable, without addresses, if there is no server, and at once for calls that are not idempotent", async () => {
    const port = await freePort();
    const transport = createChannelTransport({ target: `127.0.0.1:${port}` });
    const client = createClient(ClassifierService, transport);
    const order: string[] = [];
    const errors = await Promise.all([
      getFailure(client.getClassifier({})).finally(() => order.push("repeated")),
      getFailure(client.createClassifier({})).finally(() => order.push("once")),
    ]);
    expect(order).toEqual(["once", "repeated"]);
    for (const error of errors) {
      expect(getProblemFacts(error)).toMatchObject({ code: Code.Unavailable, reason: "UNAVAILABLE" });
      expect(getProblemFacts(error).message).not.toContain(String(port));
      expect((error as Error).cause).toBeInstanceOf(Error);
    }
    transport.close();
  });

  it("does not retry a call that its service has already retried with another one", async () => {
    const away = createChannelTransport({ target: `127.0.0.1:${await freePort()}` });
    let calls = 0;
    const server = await serveRpc({
      host: "127.0.0.1",
      port: 0,
      services: [
        registerSome(ClassifierService, {
          getClassifier() {
            calls += 1;
            return createClient(ClassifierService, away).getClassifier({});
          },
        }),
      ],
      interceptors: serverInterceptors({ logger: recordingLogger().logger }),
    });
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}` });
    const error = await getFailure(createClient(ClassifierService, transport).getClassifier({}));
    expect(getProblemFacts(error)).toMatchObject({ code: Code.Unavailable, reason: "UNAVAILABLE" });
    expect(calls).toBe(1);
    for (const each of [away, transport]) each.close();
    await server.close();
  });

  /** Starts a server that accepts connections and sends nothing, not even HTTP/2 settings. */
  async function startSilentServer(): Promise<{ port: number; close(): void }> {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on("error", () => undefined)));
    const port = await new Promise<number>((resolve) => {
      silent.listen(0, "127.0.0.1", () => {
        const address = silent.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    return {
      port,
      close() {
        for (const socket of sockets) socket.destroy();
        silent.close();
      },
    };
  }

  it("fails calls to a server that accepts connections but does not respond, until it does", async () => {
    const silent = await startSilentServer();
    const transport = createChannelTransport({ target: `127.0.0.1:${silent.port}` });
    const client = createClient(ClassifierService, transport);
    const calls = () => Promise.all([client.getClassifier({}), client.createClassifier({})].map(getFailure));
    for (const error of [...(await calls()), ...(await calls())]) {
      expect(getProblemFacts(error)).toMatchObject({
        code: Code.Unavailable,
        reason: "UNAVAILABLE",
        message: "The service does not respond.",
      });
    }
    silent.close();
    const server = await serve(silent.port, "there");
    let name = "";
    while (name === "") {
      name = await client.getClassifier({}).then(
        (response) => response.name,
        () => sleep(50, ""),
      );
    }
    expect(name).toBe("there");
    transport.close();
    await server.close();
  });

  it("ends a call without a response after the client's default deadline", async () => {
    const silent = await startSilentServer();
    const transport = createChannelTransport({
      target: `127.0.0.1:${silent.port}`,
      interceptors: clientInterceptors({ timeoutMs: 200 }),
    });
    const error = await getFailure(createClient(ClassifierService, transport).getClassifier({}));
    expect(getProblemFacts(error).code).toBe(Code.DeadlineExceeded);
    transport.close();
    silent.close();
  });

  it("does not end calls of a service that responds to pings, however long they take", async () => {
    const server = await serveRpc({
      host: "127.0.0.1",
      port: 0,
      services: [
        registerSome(ClassifierService, {
          async getClassifier() {
            await sleep(6_000);
            return { name: "slow" };
          },
        }),
      ],
      interceptors: [],
    });
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}` });
    expect((await createClient(ClassifierService, transport).getClassifier({})).name).toBe("slow");
    transport.close();
    await server.close();
  });

  it("rejects messages over 64 MiB with ResourceExhausted", async () => {
    const server = await serveRpc({
      host: "127.0.0.1",
      port: 0,
      services: [
        registerSome(ExtractionService, {
          async uploadFile(parts) {
            let size = 0;
            for await (const { data } of parts) size += data.length;
            return { size };
          },
        }),
      ],
      interceptors: [],
    });
    const transport = createChannelTransport({ target: `127.0.0.1:${server.port}` });
    const upload = (size: number) =>
      createClient(ExtractionService, transport).uploadFile(
        (async function* () {
          yield { data: new Uint8Array(size) };
        })(),
      );
    expect((await upload(63 * 1024 * 1024)).size).toBe(63 * 1024 * 1024);
    expect(getProblemFacts(await getFailure(upload(64 * 1024 * 1024))).code).toBe(Code.ResourceExhausted);
    transport.close();
    await server.close();
  });
});

describe("isIdempotent", () => {
  it("returns the idempotency level of the contract", () => {
    expect(isIdempotent(ClassifierService.method.getClassifier)).toBe(true);
    expect(isIdempotent(ClassifierService.method.makeGlobal)).toBe(true);
    expect(isIdempotent(ClassifierService.method.createClassifier)).toBe(false);
  });
});
