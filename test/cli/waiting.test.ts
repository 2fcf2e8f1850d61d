import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createCliRunner, ended } from "./terminal.ts";
import type { CliRunner } from "./terminal.ts";

/** A server that limits requests would let the tests wait for up to a minute, so it is a small one of their own. */
describe("a command that waits before it repeats a request", () => {
  let server: Server;
  let cli: CliRunner;
  /** How many requests with a method are refused before others are answered. */
  let refusals: Record<string, number>;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { method = "" } = request;
      request.resume().on("end", () => {
        const left = refusals[method] ?? 0;
        refusals[method] = left - 1;
        const problem = { code: "RATE_LIMITED", detail: "Too many \u001b requests." };
        const [status, body] = left > 0 ? [429, problem] : method === "GET" ? [200, { token: null }] : [404, {}];
        response.writeHead(status, { "content-type": "application/json", "retry-after": "2" });
        response.end(JSON.stringify(body));
      });
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    cli = await createCliRunner({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "swo_1" });
  });
  afterAll(async () => {
    await cli.remove();
    server.closeAllConnections();
    server.close();
  });

  const line = "waiting 2 s before another attempt: Too many \\u001b requests. (429 RATE_LIMITED)\n";

  it.each([
    ["in a pipe", {}, line],
    ["on a terminal, in the line of a progress bar", { terminal: 80 }, `\r\u001b[2K${line}`],
  ])("says why and how long, %s", async (_, options, expected) => {
    refusals = { GET: 1 };
    const { stderr } = await ended(cli.run(["api", "GET", "me"], options), 0);
    expect(stderr).toBe(expected);
  });

  it("says it once for simultaneous requests", async () => {
    refusals = { POST: 2 };
    for (const name of ["a.txt", "b.txt"]) await writeFile(join(cli.home, name), name);
    const { stderr } = await ended(cli.run(["classify", "run", "clf_1", "a.txt", "b.txt"]), 5);
    expect(stderr.split(line)).toHaveLength(2);
  });
});
