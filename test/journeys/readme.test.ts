import { createClient } from "@switchyard/client";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getBlocks, runShell } from "../pages.ts";
import { startDemoServer } from "../faults/demo-server.ts";
import type { DemoServer } from "../faults/demo-server.ts";
import { root } from "../processes.ts";

/** Blocks that are not run here, by their beginning, with the reason. */
const exceptions: readonly (readonly [begin: string, reason: string])[] = [
  ["npm ci && npm start", "installs the workspace anew; first-start.test.ts runs npm start"],
  ["export SWITCHYARD_TOKEN=swo_...", "stands for what the reader copies; the test sets both"],
  ["npx switchyard-server bootstrap", "creates a second server; server-commands.test.ts runs both commands"],
  [
    "npx nx run-many -t serve",
    "runs until it is ended, on fixed ports; services-processes.test.ts starts the services",
  ],
  ["# In another terminal", "needs the processes of the block before"],
];

describe("the documented examples, on the demo of npm start", () => {
  let folder: string;
  let server: DemoServer;
  let environment: Record<string, string>;
  let extraction: Promise<unknown>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-readme-"));
    server = await startDemoServer(join(folder, "data"));
    environment = {
      HOME: folder,
      SWITCHYARD_TOKEN: server.token,
      SWITCHYARD_BASE_URL: server.url,
      CLASSIFIER: server.classifier,
      GRPC_URL: `http://127.0.0.1:${server.grpcPort}`,
    };
  });
  afterAll(async () => {
    await server?.program.end("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  /** Replaces the default addresses in a block by those of this server. */
  const here = (text: string): string =>
    text
      .replaceAll("http://127.0.0.1:8080", environment["SWITCHYARD_BASE_URL"] ?? "")
      .replaceAll("http://127.0.0.1:8081", environment["GRPC_URL"] ?? "");

  it("of README.md work and have the documented responses", async () => {
    const blocks = getBlocks(await readFile(join(root, "README.md"), "utf8"));
    const skipped = new Set<string>();
    let response: unknown;
    for (const { language, text } of blocks) {
      const exception = exceptions.find(([begin]) => text.startsWith(begin));
      if (exception !== undefined) skipped.add(exception[0]);
      else if (language === "sh") {
        const printed = await runShell(`set -euo pipefail\n${here(text)}`, environment);
        expect(printed).toMatch(/CLASSIFIED/);
        if (text.startsWith("curl")) response = JSON.parse(printed);
      } else if (language === "js") {
        // Inside the workspace, so that its packages are found.
        const file = join(root, `test/readme-example-${process.pid}.mjs`);
        try {
          await writeFile(file, text);
          expect(await runShell(`node ${file}`, environment)).toMatch(/^CLASSIFIED Invoice 0\.99/);
        } finally {
          await rm(file, { force: true });
        }
      } else if (language === "json") {
        const shown = JSON.parse(text) as { id: string };
        extraction ??= finishedExtraction(response);
        expectShown(shown, shown.id.startsWith("ext_") ? await extraction : response, "");
      } else expect(["", "mermaid"]).toContain(language);
    }
    expect([...skipped]).toEqual(exceptions.map(([begin]) => begin));
  });

  it("of docs/accepted-values.md work", async () => {
    const data = await readFile(join(root, "samples/receipt-coffee.pdf"));
    const classifierId = environment["CLASSIFIER"] ?? "";
    const file = { filename: "till.pdf", data: new Uint8Array(data) };
    const record = await connected().classify({ classifierId, file });
    const ids = { FILE: record.fileId ?? "", MODEL: record.deploymentId ?? "", PROJECT: record.projectId ?? "" };
    const blocks = getBlocks(await readFile(join(root, "docs/accepted-values.md"), "utf8"));
    const printed: string[] = [];
    for (const { language, text } of blocks)
      if (language === "sh") printed.push(await runShell(`set -eu\n${here(text)}`, { ...environment, ...ids }, folder));
    expect(printed).toEqual([expect.stringContaining('"total":12.5'), expect.stringContaining('"accepted":1')]);
  });

  it("of libs/client/README.md work", async () => {
    const client = connected();
    const projects = await client.listProjects({});
    const found = await Promise.all(projects.data.map(({ id }) => client.listExecutions({ projectId: id })));
    const execution = found.flatMap(({ data }) => data)[0];
    const project = found.findIndex(({ data }) => data.length > 0);
    const projectId = projects.data[project]?.id ?? "";
    const extractions = await client.listExtractions({ projectId });
    const routes = await client.listRoutes({ classifierId: environment["CLASSIFIER"] ?? "" });
    const ids = {
      classifierId: environment["CLASSIFIER"],
      // The classifier already has a route to this target, so adding it again is a conflict.
      deploymentId: routes.data.find(({ targetDeploymentId }) => targetDeploymentId === null)?.deploymentId,
      projectId,
      executionId: execution?.id,
      extractionId: extractions.data[0]?.id,
    };
    const known = Object.entries(ids).map(([name, id]) => `const ${name} = ${JSON.stringify(id)};\n`);
    const [block] = getBlocks(await readFile(join(root, "libs/client/README.md"), "utf8"));
    const text = (block?.text ?? "").replace('"invoice.pdf"', '"samples/invoice-harbour-lane.pdf"');
    const file = join(root, `test/client-example-${process.pid}.ts`);
    try {
      await writeFile(
        file,
        known.join("") + text + "console.log(record.status, headers.get('content-type'), bytes.length > 0);",
      );
      const printed = await runShell(`node --disable-warning=ExperimentalWarning ${file}`, environment);
      expect(printed).toMatch(/^ROUTE_EXISTS \S+$/m);
      expect(printed).toMatch(/^COMPLETED 2$/m);
      expect(printed).toMatch(/^CLASSIFIED application\/json true$/m);
    } finally {
      await rm(file, { force: true });
    }
  });

  it("of apps/cli/README.md work", async () => {
    const inbox = await mkdtemp(join(folder, "mail-"));
    await mkdir(join(inbox, "inbox"));
    await copyFile(join(root, "samples/receipt-coffee.pdf"), join(inbox, "inbox/receipt-coffee.pdf"));
    const [project] = (await connected().listProjects({})).data;
    const [block] = getBlocks(await readFile(join(root, "apps/cli/README.md"), "utf8"));
    const script = (block?.text ?? "")
      // In a terminal it prompts for the token.
      .replace(/^switchyard login /m, 'echo "$SWITCHYARD_TOKEN" | switchyard login --token-stdin ')
      .replace("prj_01", project?.id ?? "")
      .replace("clf_01", environment["CLASSIFIER"] ?? "");
    const printed = await runShell(`set -euo pipefail\n${script}\ncat records.jsonl`, environment, inbox);
    expect(printed).toContain("Mailroom");
    expect(printed).toMatch(/"filename": ?"receipt-coffee.pdf"/);
  });

  const connected = () =>
    createClient({
      baseUrl: environment["SWITCHYARD_BASE_URL"] ?? "",
      token: environment["SWITCHYARD_TOKEN"] ?? "",
    });

  /** Waits until the extraction of a response has ended, and returns it. */
  async function finishedExtraction(record: unknown): Promise<unknown> {
    const { extraction } = record as { extraction: { id: string } };
    const client = connected();
    for (;;) {
      const found = await client.getExtraction({ extractionId: extraction.id });
      if (found.status !== "RUNNING") return found;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Asserts that a response matches the one that is shown. IDs must be of the same kind, everything else must be equal. */
  function expectShown(shown: unknown, real: unknown, path: string): void {
    if (typeof shown === "object" && shown !== null) {
      for (const [key, value] of Object.entries(shown))
        expectShown(value, (real as Record<string, unknown> | null)?.[key], `${path}.${key}`);
      return;
    }
    const kind = typeof shown === "string" ? /^[a-z]{3,4}_/.exec(shown)?.[0] : undefined;
    if (kind !== undefined) expect([path, real]).toEqual([path, expect.stringMatching(`^${kind}`)]);
    // On a slow machine the extraction has not ended yet.
    else if (path === ".extraction.status") expect(["RUNNING", "COMPLETED"]).toContain(real);
    else expect([path, real]).toEqual([path, shown]);
  }
});
