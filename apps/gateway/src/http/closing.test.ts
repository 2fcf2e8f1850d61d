import { once } from "node:events";
import { Agent, request } from "node:http";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

/** Waits until the call that never ends has started. */
async function underWay(system: TestGateway): Promise<void> {
  for (const deadline = performance.now() + 60_000; !system.calls.includes("slow");) {
    if (performance.now() > deadline) throw new Error("timed out");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

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
    for (const deadline = performance.now() + 60_000; system.aborted.length === 0 && performance.now() < deadline;) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(system.aborted).toEqual(["slow"]);
  });
});
