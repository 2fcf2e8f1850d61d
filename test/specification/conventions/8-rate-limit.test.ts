import { setTimeout as sleep } from "node:timers/promises";
import { createRest, type RestResponse, type Rest } from "../../rest.ts";
import { startTestSystem, type Running, type TestSystem } from "../../system.ts";
import { getBody } from "../testing/office.ts";

/** Returns how many requests a response says are left. */
function getLeft({ headers }: RestResponse): number {
  return Number(/^"token";r=(\d+);t=\d+$/.exec(headers.get("ratelimit") ?? "")?.[1] ?? NaN);
}

/** Waits until the current minute lasts for another 25 s, so that a test does not cross its end even on a busy machine. */
async function untilEarlyInMinute(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < 25_000) await sleep(leftMs + 100);
}

/** Sends requests, at most four at a time, and returns the number of each status. */
async function sendMany(rest: Rest, requests: number): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let sent = 0;
  const send = async (): Promise<void> => {
    while (sent++ < requests) {
      const { status } = await rest.get("/api/v1/me");
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 4 }, send));
  return statuses;
}

describe("in one process", () => {
  const limit = 60;
  let system: TestSystem;
  beforeAll(async () => {
    system = await startTestSystem("one process", { requestsPerMinute: limit });
  });
  afterAll(() => system?.close());

  it("a token has exactly its requests per minute, even after a rotation, and every token has its own", async () => {
    await untilEarlyInMinute();
    const rest = createRest(system.url, system.token);
    const another = createRest(system.url, await system.anotherOrganization("Globex"));
    const me = await getBody(rest.get("/api/v1/me"), 200);
    const rotated = await getBody(rest.post(`/api/v1/tokens/${me.token.id}:rotate`, { graceSeconds: 3600 }), 201);
    const renewed = createRest(system.url, rotated.secret);
    expect(await sendMany(renewed, limit)).toEqual(
      new Map([
        [200, limit - 2],
        [429, 2],
      ]),
    );
    expect((await rest.get("/api/v1/me")).body).toMatchObject({ status: 429, code: "RATE_LIMITED" });
    expect(getLeft(await another.get("/api/v1/me"))).toBe(limit - 1);
  });
});

describe("with three gateways over one database", () => {
  const limit = 200;
  let system: TestSystem;
  let gateways: Pick<Running, "url">[];
  const replicas: Running[] = [];
  beforeAll(async () => {
    system = await startTestSystem("replicas", { requestsPerMinute: limit });
    replicas.push(await system.replica(), await system.replica());
    gateways = [system, ...replicas];
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    await system?.close();
  });

  it.each([
    ["evenly", [120, 120, 120]],
    ["unevenly", [260, 30, 2]],
    ["almost all to one", [300, 1, 1]],
  ])("a token has its requests within 10 %% if they are sent %s", async (load, requests) => {
    const token = await system.anotherOrganization(load);
    await untilEarlyInMinute();
    const counts = await Promise.all(
      gateways.map(({ url }, index) => sendMany(createRest(url, token), requests[index] ?? 0)),
    );
    const granted = counts.reduce((sum, statuses) => sum + (statuses.get(200) ?? 0), 0);
    expect(granted).toBeGreaterThanOrEqual(0.9 * limit);
    expect(granted).toBeLessThanOrEqual(1.1 * limit);
    for (const statuses of counts)
      expect([...statuses.keys()].every((status) => [200, 429].includes(status))).toBe(true);
  });

  it("a token has its requests within 10 % if a gateway is replaced meanwhile, and the token is rotated", async () => {
    const token = await system.anotherOrganization("Replaced");
    await untilEarlyInMinute();
    const send = (secret: string, requests: number) =>
      Promise.all(gateways.map(({ url }) => sendMany(createRest(url, secret), requests)));
    const before = await send(token, 30);
    await replicas.pop()?.close();
    const replica = await system.replica();
    replicas.push(replica);
    gateways = [system, ...replicas];
    const me = await getBody(createRest(system.url, token).get("/api/v1/me"), 200);
    const rotate = `/api/v1/tokens/${me.token.id}:rotate`;
    const { secret } = await getBody(createRest(system.url, token).post(rotate, { graceSeconds: 0 }), 201);
    const after = await send(secret, 90);
    const granted = 2 + [...before, ...after].reduce((sum, statuses) => sum + (statuses.get(200) ?? 0), 0);
    expect(granted).toBeGreaterThanOrEqual(0.9 * limit);
    expect(granted).toBeLessThanOrEqual(1.1 * limit);
  });
});

describe("between processes", () => {
  const limit = 120;
  let system: TestSystem;
  beforeAll(async () => {
    system = await startTestSystem("separate processes", { requestsPerMinute: limit });
  });
  afterAll(() => system?.close());

  it("the gateway counts on its own while the configuration service is stopped", async () => {
    await untilEarlyInMinute();
    const rest = createRest(system.url, system.token);
    expect(getLeft(await rest.get("/api/v1/openapi.json"))).toBe(limit - 1);
    const restart = await system.stop("configuration", "SIGTERM");
    const seen: [number, number][] = [];
    for (let requests = 0; requests < 20; requests += 1) {
      const response = await rest.get("/api/v1/openapi.json");
      seen.push([response.status, getLeft(response)]);
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => [200, limit - 2 - index]));
    await restart();
    await sleep(1_100);
    expect((await rest.get("/api/v1/me")).status).toBe(200);
  });
});
