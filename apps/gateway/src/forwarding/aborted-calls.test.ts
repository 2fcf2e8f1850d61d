import { connect } from "node:net";
import { startTestGateway, type TestGateway } from "../testing/test-gateway.ts";

let system: TestGateway;
const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);
beforeAll(async () => {
  process.on("uncaughtExceptionMonitor", note);
  system = await startTestGateway();
});
afterAll(async () => {
  process.off("uncaughtExceptionMonitor", note);
  await system.stop();
});

const callPath = "/switchyard.identity.v1.IdentityService/GetMe";
const toRequest = (line: string, token: string, ...lines: string[]) =>
  [`${line} HTTP/1.1`, "host: x", `authorization: Bearer ${token}`, ...lines].join("\r\n");

it.each([
  ["content-length: 10", "valid"],
  ["content-length: 10", "not valid"],
  ["transfer-encoding: chunked", "valid"],
])(
  "a call that waits for another response does no harm if its client leaves within its body: %s, %s token",
  async (length, kind) => {
    const never = toRequest("GET /api/v1/projects/slow", system.token, "", "");
    const token = kind === "valid" ? system.token : "none";
    const begun = toRequest(`POST ${callPath}`, token, "content-type: application/json", length, "", "1");
    const socket = connect(system.gateway.port, "127.0.0.1").on("error", () => undefined);
    socket.write(never + begun);
    await expect.poll(() => system.gateway.count().http.requests).toBe(2);
    // The calls are started in other iterations of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
    await expect.poll(() => system.gateway.count().http.requests).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(uncaught).toEqual([]);
    expect((await fetch(`${system.gateway.url}/healthz`)).status).toBe(200);
  },
);
