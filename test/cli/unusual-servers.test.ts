import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createCliRunner, ended } from "./terminal.ts";
import type { CliRunner } from "./terminal.ts";

/** What these servers do, a server of Switchyard only does while it stops, or not at all, so they are small ones of their own. */
describe("a command whose server is unusual", () => {
  let server: Server;
  let cli: CliRunner;
  let respond: (request: IncomingMessage, response: ServerResponse) => void;
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().on("end", () => respond(request, response));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
  });
  beforeEach(async () => {
    cli = await createCliRunner({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "swo_1" });
  });
  afterEach(() => cli.remove());
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const sendJson = (response: ServerResponse, body: object): void => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const sendPage = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in to the network</h1>");
  };

  it("reopens a stream of events that the server has closed, and says so", async () => {
    let streams = 0;
    respond = (_, response) => {
      streams += 1;
      const event = { kind: "JOB", id: `job_${streams}`, status: "RUNNING", at: "2026-11-01T12:00:00.000Z" };
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(event)}\n\n`);
    };
    const events = await ended(cli.run(["projects", "events", "prj_1", "--count", "2", "--output", "json"]), 0);
    const ids = events.stdout
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line).id);
    expect(ids).toEqual(["job_1", "job_2"]);
    expect(events.stderr).toBe("The server closed the stream. It is opened again; events may have been missed.\n");
  });

  const sendEvent = (response: ServerResponse, event: object): void => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(event)}\n\n`);
  };

  it("waits for a server that is away while it waits for a run", async () => {
    const run = { id: "bmk_1", executionId: "bmk_1", status: "COMPLETED" };
    let streams = 0;
    respond = ({ method, url = "" }, response) => {
      if (method === "POST") return sendJson(response, { ...run, status: "RUNNING" });
      if (!url.endsWith("/events")) return sendJson(response, run);
      streams += 1;
      // More often than a call is repeated.
      if (streams <= 5) response.destroy();
      else sendEvent(response, run);
    };
    const options = "--project-id prj_1 --deployment-id mdl_1 --name Nightly --wait --output json --timeout 250";
    const { stdout } = await ended(cli.run(["benchmarks", "run", ...options.split(" ")]), 0);
    expect(JSON.parse(stdout)).toEqual(run);
    expect(streams).toBe(6);
  });

  it("waits no longer than its time limit for a server that is away, and not for one that never answered", async () => {
    let streams = 0;
    respond = (_, response) => {
      streams += 1;
      if (streams === 1) sendEvent(response, { executionId: "bmk_1", status: "RUNNING" });
      else response.destroy();
    };
    const watch = ["benchmarks", "watch", "bmk_1", "--output", "json", "--timeout", "10"];
    const { stdout, stderr } = await ended(cli.run(watch), 7);
    expect(JSON.parse(stdout)).toMatchObject({ status: "RUNNING" });
    expect(stderr).toMatch(/no (connection to|response from)/);
    // Two rounds of three attempts at least.
    expect(streams).toBeGreaterThanOrEqual(1 + 6);
    streams = 1;
    await ended(cli.run(watch), 7);
    expect(streams).toBe(1 + 3);
  });

  it("prints only JSON with `--output json`", async () => {
    respond = (_, response) => sendPage(response);
    for (const line of ["whoami", "projects get prj_1", "files text fil_1", "projects list"]) {
      const { stdout, stderr } = await ended(cli.run([...line.split(" "), "--output", "json"]), 1);
      expect(stdout).toBe("");
      expect(stderr).toContain("The response is not JSON.");
    }
  });

  it("does not record a response that is not a classification, so the next run sends the document again", async () => {
    await writeFile(join(cli.home, "a.txt"), "a");
    let isAway = true;
    respond = ({ method }, response) => {
      if (method === "GET") sendJson(response, { token: null });
      else if (isAway) sendPage(response);
      else sendJson(response, { id: "cls_1", status: "UNCLASSIFIED", reason: null, extraction: null });
    };
    const run = ["classify", "run", "clf_1", "a.txt"];
    const { stdout } = await ended(cli.run(run), 1);
    expect(stdout).toContain("The response is not JSON.");
    isAway = false;
    const again = await ended(cli.run(run), 0);
    expect(again.stderr).toBe("1 document: 0 classified, 1 unclassified.\n");
  });

  it("sends the documents of a folder with a link that leads to itself, and those of patterns with `//` and `/./`", async () => {
    await mkdir(join(cli.home, "in"));
    await writeFile(join(cli.home, "in/a.txt"), "a");
    await symlink("loop", join(cli.home, "in/loop"));
    respond = (_, response) => sendJson(response, { id: "fil_1", filename: "a.txt" });
    for (const path of ["in", "in/", "in/*.txt", "in//*.txt", "./in/./*.txt", "in/../in/*.txt"]) {
      const { stdout } = await ended(cli.run(["files", "upload", "--project-id", "prj_1", path, "--no-header"]), 0);
      expect(stdout.split("\t").slice(0, 2)).toEqual(["fil_1", "a.txt"]);
    }
    const { stderr } = await ended(cli.run(["files", "upload", "--project-id", "prj_1", "in/loop"]), 2);
    expect(stderr).toContain("there is no file or folder in/loop");
  });
});
