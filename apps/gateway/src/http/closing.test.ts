import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { defaultLimits } from "../limits/limits.ts";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";
import { createCors } from "./cors.ts";
import { serveHttp } from "./http-server.ts";

/** Waits until the call that never ends has started. */
const underWay = ({ calls }: TestGateway): Promise<void> => expect.poll(() => calls).toContain("slow");

describe("Gateway.close", () => {
  it("finishes requests in progress, and accepts no others", async () => {
    const system = await startTestGateway({ deadlineMs: 600 });
    const agent = new Agent({ keepAlive: true });
    const options = { agent, port: system.gateway.port, headers: { authorization: `Bearer ${system.token}` } };
    const slow = request({ ...options, path: "/api/v1/projects/slow" }).end();
    const responded = once(slow, "response");
    const idle = request({ ...options, path: "/healthz" }).end();
    const [first] = await once(idle, "response");
    first.resume();
    await underWay(system);
    const started = performance.now();
    const closed = system.stop();
    const [response] = await responded;
    expect(response.statusCode).toBe(504);
    response.resume();
    await closed;
    expect(performance.now() - started).toBeLessThan(15_000);
    await expect(fetch(`${system.gateway.url}/healthz`)).rejects.toThrow();
    agent.destroy();
  });

  it("aborts requests that exceed the grace period", async () => {
    const system = await startTestGateway({ closeGraceMs: 200 });
    const headers = { authorization: `Bearer ${system.token}` };
    const slow = fetch(`${system.gateway.url}/api/v1/projects/slow`, { headers });
    const outcome = expect(slow).rejects.toThrow();
    await underWay(system);
    const started = performance.now();
    await system.stop();
    await outcome;
    expect(performance.now() - started).toBeLessThan(15_000);
    await expect.poll(() => system.aborted.length).toBeGreaterThan(0);
    expect(system.aborted).toEqual(["slow"]);
  });

  it("answers the requests of connections that wait for their turn", async () => {
    const server = await serveHttp({
      ...{
        host: "127.0.0.1",
        port: 0,
        limits: defaultLimits,
        cors: createCors([]),
        vary: "Accept",
        queue: { size: 1_000 },
      },
      handler: (_request, response) => void response.end("answered"),
    });
    const clients = Array.from({ length: 50 }, () => {
      const socket = connect(server.port, "127.0.0.1");
      const client = { answered: 0, send: () => socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n") };
      socket.on("data", (chunk) => (client.answered += chunk.toString().split("answered").length - 1));
      socket.on("error", () => undefined);
      return client;
    });
    for (const answered of [1, 2]) {
      for (const client of clients) client.send();
      await expect.poll(() => clients.filter((client) => client.answered === answered)).toHaveLength(50);
    }
    for (const client of clients) client.send();
    await new Promise((resolve) => setImmediate(resolve));
    await server.close();
    await expect.poll(() => clients.filter((client) => client.answered === 3)).toHaveLength(50);
  });
});
