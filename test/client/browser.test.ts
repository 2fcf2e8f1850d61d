import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, describeWith } from "../programs.ts";
import { givenOffice } from "../specification/testing/office.ts";
import { buildBrowserBundle } from "./bundle.ts";

/** The script of the page, which calls the client. It reads `given` from the address of the page. */
const script = `
const given = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const { createClient, ConflictError, NotFoundError } = switchyard;
async function run() {
  const client = createClient({ baseUrl: location.origin, token: given.token, retries: 0 });
  const { user } = await client.getMe();
  const data = new File(["Invoice number INV-1, invoice date 2026-10-01, total due 10.00"], "letter.txt", { type: "text/plain" });
  const file = await client.uploadFile({ projectId: given.projectId, file: data });
  const content = await client.getFileContent({ fileId: file.id });
  const { routeName } = await client.classify({ classifierId: given.classifier, file: data, extract: false });
  const lines = JSON.stringify({ fileId: file.id, deploymentId: given.receipts, values: { total: 12.5 } });
  const accepted = new File([lines], "accepted.jsonl");
  await client.importAcceptedValues({ projectId: given.projectId, file: accepted });
  const run = { projectId: given.projectId, deploymentId: given.receipts, name: "In a page" };
  const { executionId } = await client.createExecution(run);
  let last;
  for await (const { status } of client.watchExecution({ executionId })) last = status;
  const unknown = await client.getFile({ fileId: "fil_nothing" }).catch((error) => error);
  const duplicate = await client
    .addRoute({ classifierId: given.classifier, deploymentId: given.receipts })
    .catch((error) => error);
  return {
    user: user.name,
    size: [file.size, content.bytes.length, content.filename],
    routeName,
    last,
    unknown: [unknown instanceof NotFoundError, unknown.status, unknown.code],
    duplicate: [duplicate instanceof ConflictError, duplicate.code, duplicate.requestId !== ""],
  };
}
run()
  .catch((error) => ({ thrown: error.name + ": " + error.message }))
  .then((result) => fetch("/result", { method: "POST", body: JSON.stringify(result) }));
`;

const flags = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"],
];

describeWith(chromium, "@switchyard/client in Chromium", (path) => {
  const given = givenOffice();
  let pages: Server;
  let reported: (result: unknown) => void;
  const result = new Promise<unknown>((resolve) => (reported = resolve));

  beforeAll(async () => {
    const page = `<!doctype html><script>${await buildBrowserBundle()}</script><script>${script}</script>`;
    pages = createServer((request, response) => {
      if (request.url?.startsWith("/api/") === true) forward(given.system.url, request, response);
      else if (request.url === "/result") void getBody(request).then((text) => reported(JSON.parse(text)));
      else response.setHeader("content-type", "text/html; charset=utf-8").end(page);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => pages.once("listening", resolve));
  });
  afterAll(() => {
    pages?.closeAllConnections();
    pages?.close();
  });

  it("calls, uploads, downloads, reads a stream of events and throws errors", async () => {
    const { projectId, classifier, receipts } = given.office;
    const handed = encodeURIComponent(JSON.stringify({ token: given.system.token, projectId, classifier, receipts }));
    const url = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/#${handed}`;
    const profile = await mkdtemp(join(tmpdir(), "switchyard-chromium-"));
    const browser = spawn(path, [...flags, `--user-data-dir=${profile}`, url], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let printed = "";
    browser.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    browser.once("error", ({ message }) => (printed += message));
    const gone = new Promise<void>((resolve) => browser.once("close", () => resolve()));
    const ended = gone.then(() => Promise.reject(new Error(`Chromium ended: ${printed}`)));
    try {
      expect(await Promise.race([result, ended])).toEqual({
        user: "Ada",
        size: [62, 62, "letter.txt"],
        routeName: "Invoice",
        last: "COMPLETED",
        unknown: [true, 404, "FILE_NOT_FOUND"],
        duplicate: [true, "ROUTE_EXISTS", true],
      });
    } finally {
      ended.catch(() => undefined);
      browser.kill("SIGKILL");
      await gone;
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    }
  });
});

/** Forwards a request to the system unchanged, so that the page and the API have one origin. */
function forward(url: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers } = request;
  const onward = httpRequest(`${url}${request.url}`, { method, headers }, (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.headers);
    incoming.pipe(response);
  });
  onward.on("error", () => response.destroy());
  request.pipe(onward);
}

async function getBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
