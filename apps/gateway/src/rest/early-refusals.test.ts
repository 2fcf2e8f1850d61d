import { createTestBudget } from "../testing/test-budget.ts";
import { rawHead, sendRaw } from "../testing/raw-http.ts";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

const limit = 400;
const origin = "https://app.example";
const path = "/api/v1/classify/clf_1";
const body = { text: "INVOICE 1" };
let system: TestGateway;
beforeEach(async () => {
  const rateLimit = { requestsPerMinute: limit, leaseRequests: createTestBudget(18_000).leaseRequests };
  system = await startTestGateway({ maxCallsPerMethod: 0, maxWaitingPerMethod: 0 }, "direct", [origin], rateLimit);
});
afterEach(() => system.stop());

const send = (init: RequestInit = {}, target = path): Promise<Response> =>
  fetch(`${system.gateway.url}${target}`, {
    method: "POST",
    ...init,
    headers: {
      authorization: `Bearer ${system.token}`,
      "content-type": "application/json",
      "x-request-id": "r-1",
      ...(init.headers as Record<string, string> | undefined),
    },
  });
/** Returns how many requests have a line of their own in the log. */
const countLines = (): number => system.log.filter((line) => line.includes('"msg":"request"')).length;

/** Returns a response without what differs between two requests of a token. */
async function toComparable(response: Response) {
  const { date: _, ratelimit, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, isCounted: ratelimit !== undefined, body: await response.text() };
}

describe("a request that is refused early", () => {
  it.each([
    ["a small body", { body: JSON.stringify(body) }, path],
    ["no body", {}, path],
    ["a page's origin", { headers: { origin } }, path],
    ["a query and a path with quotes", {}, `${path}%22?x="`],
    ["GET", { method: "GET" }, "/api/v1/classify?projectId=prj_1"],
  ])("gets the same response as one that is refused after all checks: %s", async (_, init, target) => {
    const first = await toComparable(await send(init, target));
    expect(first).toMatchObject({ status: 503, isCounted: true });
    expect(JSON.parse(first.body)).toMatchObject({ code: "OVERLOADED", requestId: "r-1" });
    expect(countLines()).toBe(1);
    for (let n = 0; n < 3; n += 1) expect(await toComparable(await send(init, target))).toEqual(first);
    expect(countLines()).toBe(1);
  });

  it("is counted in the log, in one line a second", async () => {
    const begun = performance.now();
    for (let n = 0; n < 4; n += 1) await send();
    // On a busy machine, the requests may take longer than a second.
    const seconds = Math.ceil((performance.now() - begun) / 1_000);
    const readLines = (): { refused: number }[] =>
      system.log.filter((each) => each.includes("requests refused")).map((each) => JSON.parse(each));
    await expect.poll(() => readLines().reduce((sum, { refused }) => sum + refused, 0)).toBe(3);
    expect(readLines().length).toBeLessThanOrEqual(seconds);
    expect(readLines()[0]).toMatchObject({ method: "ClassifierService.Classify", status: 503 });
  });

  it("has passed all checks that come before overload", async () => {
    await send();
    const outcomes: [number, RequestInit, string][] = [
      [401, { headers: { authorization: "Bearer swo_x" } }, path],
      [401, { headers: { authorization: "" } }, path],
      [404, {}, "/api/v1/nothing"],
      [405, { method: "PUT" }, path],
      [406, { headers: { accept: "image/png" } }, path],
      [204, { method: "OPTIONS" }, path],
      [200, { method: "GET" }, "/api/v1/openapi.json"],
      [200, { method: "GET" }, "/healthz"],
      [200, { method: "GET" }, "/readyz"],
      [503, { method: "HEAD" }, "/api/v1/me"],
      [503, {}, path],
    ];
    for (const [status, init, target] of outcomes)
      expect([target, (await send(init, target)).status]).toEqual([target, status]);
    const repeated = `authorization: Bearer ${system.token}`;
    const { status } = await sendRaw(system.gateway.port, rawHead(`POST ${path}`, "host: x", repeated, repeated));
    expect(status).toBe(401);
  });

  it("counts against the rate limit of its token", async () => {
    for (let n = 0; n < limit; n += 1) {
      const { status, headers } = await send();
      expect([status, headers.get("ratelimit")]).toEqual([503, expect.stringMatching(`^"token";r=${limit - 1 - n};`)]);
    }
    expect((await send()).status).toBe(429);
  });
});
