import { once } from "node:events";
import { connect } from "node:net";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
beforeAll(async () => {
  system = await startTestGateway({ headersTimeoutMs: 400 });
});
afterAll(() => system.stop());

/** Sends the pieces one after the other, and reads until the server closes the connection. Returns the statuses of its responses. */
async function exchange(...pieces: readonly string[]): Promise<number[]> {
  const socket = connect(system.gateway.port, "127.0.0.1");
  let text = "";
  socket.on("error", () => undefined).on("data", (chunk) => (text += chunk.toString("latin1")));
  const closed = once(socket, "close");
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await closed;
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
}

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, "host: x", `authorization: Bearer ${system.token}`, ...headers, "", ""].join("\r\n");
const read = () => head("GET /api/v1/me");
/** A request that is answered after a while. */
const create = (...headers: string[]) =>
  `${head("POST /api/v1/classify/clf_1", "content-type: application/json", "content-length: 16", ...headers)}{"text":"hello"}`;

describe("a request that is refused for what is wrong with its syntax or headers", () => {
  it.each<[string, number, () => string]>([
    ["garbage", 400, () => "garbage\r\n\r\n"],
    ["headers that are too large", 431, () => head("GET /api/v1/me", `x-long: ${"x".repeat(17_000)}`)],
    ["a header that never ends", 408, () => "GET /api/v1/me HTTP/1.1\r\nhost: x\r\n"],
    [
      "a body in chunks that are none",
      400,
      () => `${head("POST /api/v1/classify", "transfer-encoding: chunked")}zz\r\n`,
    ],
    ["two hosts", 400, () => head("GET /api/v1/me", "host: y")],
    ["an unknown expectation", 417, () => head("GET /api/v1/me", "expect: wonders")],
  ])("is answered after the requests before it: %s", async (_title, status, refused) => {
    expect(await exchange(refused())).toEqual([status]);
    expect(await exchange(read() + create() + refused())).toEqual([200, 201, status]);
    expect(await exchange(create(), refused())).toEqual([201, status]);
  });

  it("is answered after a response that has begun before it", async () => {
    const events = head("GET /api/v1/benchmarks/slow/events");
    expect(await exchange(events, "garbage\r\n\r\n")).toEqual([200, 400]);
    expect(await exchange(events + head("GET /api/v1/me", "host: y"))).toEqual([200, 400]);
  });

  it("is not answered again if it was answered before its body", async () => {
    const refused = "POST /api/v1/classify HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    const events = head("GET /api/v1/benchmarks/slow/events");
    expect(await exchange(events, refused, "zz\r\n")).toEqual([200, 401]);
  });

  it("is the last one that is answered, and made", async () => {
    const before = system.classified.length;
    const refused = head("GET /api/v1/me", "host: y");
    expect(await exchange(create() + refused + create() + refused, create())).toEqual([201, 400]);
    expect(system.classified.length).toBe(before + 1);
  });
});

it("what follows a request with Connection: close is ignored", async () => {
  const before = system.classified.length;
  for (const next of [create(), "garbage\r\n\r\n"])
    expect(await exchange(create("connection: close") + next)).toEqual([201]);
  expect(system.classified.length).toBe(before + 2);
});

describe("a connection with a request that never ends is closed, and the request ends,", () => {
  const never = () => head("GET /api/v1/projects/slow");
  it.each<[string, () => string]>([
    ["with too many requests after one that is refused", () => head("GET /api/v1/me", "host: y") + read().repeat(20)],
    ["with CONNECT", () => "CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["with incomplete headers, and a client that leaves", () => "GET / HTTP/1.1\r\nho"],
    ["with an incomplete body, and a client that leaves", () => create().slice(0, -3)],
  ])("%s", async (title, next) => {
    system.calls.length = 0;
    system.aborted.length = 0;
    const socket = connect(system.gateway.port, "127.0.0.1").on("error", () => undefined);
    socket.write(never());
    await expect.poll(() => system.calls).toEqual(["slow"]);
    socket.write(next());
    if (title.includes("leaves")) socket.end();
    // Sooner than by its deadline.
    await expect.poll(() => system.aborted, { timeout: 10_000 }).toEqual(["slow"]);
    await expect.poll(() => system.gateway.count().http).toMatchObject({ connections: 0, requests: 0 });
    socket.destroy();
  });
});
