import { create, type Message } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import {
  BenchmarkService,
  ExecutionEventSchema,
  ExecutionStatus,
} from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createExchange } from "../http/exchange.ts";
import { sendEvents } from "./event-stream.ts";
import { startTestGateway, type TestGateway, type Way } from "../testing/test-gateway.ts";

describe.each<Way>(["direct", "channel"])("server-sent events (%s)", (way) => {
  let test: TestGateway;
  beforeEach(async () => {
    test = await startTestGateway({ keepAliveIntervalMs: 50, deadlineMs: 100 }, way);
  });
  afterEach(() => test.stop());

  const open = (id: string, signal?: AbortSignal) =>
    fetch(`${test.gateway.url}/api/v1/benchmarks/${id}/events`, {
      headers: { authorization: `Bearer ${test.token}` },
      ...(signal === undefined ? {} : { signal }),
    });
  const progress = (executionId: string, status: string, done: number) =>
    `event: progress\ndata: ${JSON.stringify({
      executionId,
      status,
      progress: { total: 2, done, failed: 0 },
      error: null,
    })}\n\n`;

  it("contain each message in order, and end with the last one", async () => {
    const response = await open("bmk_1");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.text()).toBe(progress("bmk_1", "RUNNING", 0) + progress("bmk_1", "COMPLETED", 2));
  });

  it("are not limited by the deadline of other calls, and contain comments while nothing happens", async () => {
    const text = await (await open("slow")).text();
    expect(text).toContain(": keep-alive\n\n");
    expect(text.endsWith(progress("slow", "COMPLETED", 2))).toBe(true);
  });

  it("report an error as a problem if nothing was sent, and otherwise as their last event", async () => {
    const refused = await open("none");
    expect([refused.status, refused.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    const ofBroken = await open("broken");
    const text = await ofBroken.text();
    const [first, second] = text.split("\n\n");
    expect(`${first}\n\n`).toBe(progress("broken", "RUNNING", 0));
    expect(second?.startsWith("event: error\ndata: ")).toBe(true);
    expect(JSON.parse(second?.slice("event: error\ndata: ".length) ?? "")).toMatchObject({
      status: 404,
      code: "EXECUTION_NOT_FOUND",
      instance: "/api/v1/benchmarks/broken/events",
    });
    const line = { http: "GET", method: "BenchmarkService.WatchExecution", status: 404 };
    await expect
      .poll(() => test.log.map((text) => JSON.parse(text) as unknown))
      .toContainEqual(expect.objectContaining({ ...line, requestId: ofBroken.headers.get("x-request-id") }));
  });

  it("are JSON lines for a client that prefers them, with a problem as the last line of a failed stream", async () => {
    const lines = async (id: string) => {
      const headers = { authorization: `Bearer ${test.token}`, accept: "application/x-ndjson" };
      const response = await fetch(`${test.gateway.url}/api/v1/benchmarks/${id}/events`, { headers });
      expect(response.headers.get("content-type")).toBe("application/x-ndjson");
      const text = await response.text();
      expect(text.endsWith("\n")).toBe(true);
      return { text, values: text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)])) };
    };
    expect((await lines("bmk_1")).values).toMatchObject([{ status: "RUNNING" }, { status: "COMPLETED" }]);
    const slow = await lines("slow");
    expect(slow.values).toHaveLength(2);
    expect(slow.text).toContain("\n\n");
    const broken = await lines("broken");
    expect(broken.values).toMatchObject([{ status: "RUNNING" }, { problem: { code: "EXECUTION_NOT_FOUND" } }]);
  });

  it("do not stay open for HEAD", async () => {
    const headers = { authorization: `Bearer ${test.token}` };
    const response = await fetch(`${test.gateway.url}/api/v1/benchmarks/endless/events`, { method: "HEAD", headers });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    // In the same process, the service is not asked for a second message, so it does not notice the end.
    if (way === "direct") return;
    for (const deadline = Date.now() + 60_000; test.aborted.length === 0 && Date.now() < deadline;) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(test.aborted).toEqual(["endless"]);
  });

  it("abort the call of the service when the client disconnects", async () => {
    const client = new AbortController();
    const response = await open("endless", client.signal);
    await response.body?.getReader().read();
    client.abort();
    for (const deadline = Date.now() + 60_000; test.aborted.length === 0 && Date.now() < deadline;) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(test.aborted).toEqual(["endless"]);
  });

  it("end when the gateway closes, without delaying it", async () => {
    const response = await open("endless");
    const reader = response.body?.getReader();
    await reader?.read();
    const begun = Date.now();
    const closed = test.gateway.close();
    for (let next = await reader?.read(); next?.done === false;) next = await reader?.read();
    await closed;
    expect(Date.now() - begun).toBeLessThan(9_500);
  });

  it("are a stream over gRPC, which is not limited by the deadline either", async () => {
    const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${test.gateway.grpcPort}` });
    const headers = { authorization: `Bearer ${test.token}` };
    const seen: ExecutionStatus[] = [];
    const client = createClient(BenchmarkService, transport);
    for await (const { status } of client.watchExecution({ executionId: "slow" }, { headers })) seen.push(status);
    expect(seen).toEqual([ExecutionStatus.RUNNING, ExecutionStatus.COMPLETED]);
  });
});

it("an event stream keeps no events that were sent in memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const noted: WeakRef<Message>[] = [];
  const count = 500;
  async function* events() {
    for (let done = 0; done < count; done++) {
      const each = create(ExecutionEventSchema, { executionId: "bmk_1", progress: { total: count, done } });
      noted.push(new WeakRef(each));
      yield each;
    }
    await new Promise(() => undefined);
  }
  const server = createServer((request, response) => {
    const exchange = createExchange(request, response, { requestId: "r-1", headers: {}, expectsContinue: false });
    void sendEvents(exchange, events(), {
      ...{ name: "progress", type: "application/x-ndjson", write: () => "{}", isBeginning: () => false },
      ...{ keepAliveIntervalMs: 60_000, draining: new AbortController().signal, accessLost: undefined },
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    // The stream stays open until the connection is closed.
    const reader = response.body?.getReader();
    for (let received = 0; received < count * "{}\n".length;) received += (await reader?.read())?.value?.length ?? 0;
    await expect
      .poll(() => {
        collect();
        return noted.filter((each) => each.deref() !== undefined).length;
      })
      .toBeLessThan(10);
    expect(noted).toHaveLength(count);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
