import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { createCliRunner } from "../cli/terminal.ts";
import type { CliRunner } from "../cli/terminal.ts";
import { sample } from "../journeys/fixture.ts";
import { chromium, describeWith } from "../programs.ts";
import { acceptedInvoice, finishedExecution } from "../specification/testing/benchmarks.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { startChromium } from "../viewer/browsing.ts";
import { openConsole } from "./opening.ts";

const execute = promisify(execFile);

/** The IDs of what the pages show. */
interface Shown {
  readonly projectId: string;
  readonly classifier: string;
  readonly classification: string;
  readonly extraction: string;
  readonly model: string;
  readonly run: string;
  readonly file: string;
}

/** A page, the paths of the calls that it needs, and words of its data that their responses have and the page shows. */
interface CalledPage {
  readonly address: (ids: Shown) => string;
  readonly calls: (ids: Shown) => readonly string[];
  readonly data: string;
  /** What is done on the page. */
  readonly act?: (page: Page) => Promise<void>;
}

const inProject =
  (rest: string) =>
  ({ projectId }: Shown): string =>
    `/projects/${projectId}/${rest}`;

const listed = ({ projectId }: Shown): string => `GET /api/v1/projects/${projectId}`;

/** Every page of the console. */
const pages: Readonly<Record<string, CalledPage>> = {
  "the review list": {
    address: inProject("inbox"),
    calls: (ids) => [`${listed(ids)}/review`, `${listed(ids)}/events`],
    data: "left.txt",
  },
  "the classifications": {
    address: inProject("inbox?list=classifications&status=CLASSIFIED"),
    calls: (ids) => [`${listed(ids)}/classifications?status=CLASSIFIED`],
    data: "invoice.pdf",
  },
  "the extractions": {
    address: inProject("inbox?list=extractions"),
    calls: (ids) => [`${listed(ids)}/extractions`],
    data: "ext_",
  },
  "the review of a classification": {
    address: (ids) => inProject(`inbox/classifications/${ids.classifier}/${ids.classification}`)(ids),
    calls: ({ classifier, classification }) => {
      const record = `GET /api/v1/classify/${classifier}/classifications/${classification}`;
      return [record, `${record}/explanation`, `GET /api/v1/classify/${classifier}/routes`];
    },
    data: "invoice.pdf",
  },
  "the review of an extraction": {
    address: (ids) => inProject(`inbox/extractions/${ids.extraction}`)(ids),
    calls: ({ extraction }) => [`GET /api/v1/extractions/${extraction}`],
    data: "invoice.pdf",
  },
  "a document that is tried": {
    address: inProject("try-it"),
    act: async (page) => {
      const file = { name: "tried.txt", mimeType: "text/plain", buffer: Buffer.from("INVOICE\nTotal due: 12.50") };
      await page.locator('input[type="file"]').setInputFiles(file);
      await page.getByRole("article", { name: "tried.txt" }).getByRole("link").first().waitFor();
    },
    calls: ({ classifier }) => [`POST /api/v1/classify/${classifier}`],
    data: "Invoice",
  },
  "the classifiers": {
    address: inProject("classifiers"),
    calls: ({ projectId }) => [`GET /api/v1/classify?projectId=${projectId}&limit=50`],
    data: "Accounts payable inbox",
  },
  "the routes of a classifier": {
    address: (ids) => inProject(`classifiers/${ids.classifier}`)(ids),
    calls: ({ classifier }) => [`GET /api/v1/classify/${classifier}`],
    data: "Receipt",
  },
  "the settings of a classifier": {
    address: (ids) => inProject(`classifiers/${ids.classifier}?tab=settings`)(ids),
    act: async (page) => {
      await page.getByLabel("Description").fill("It's the $HOME of `mail`");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The settings are saved.").waitFor();
    },
    calls: ({ classifier }) => [`PATCH /api/v1/classify/${classifier}`],
    data: "It's the $HOME of `mail`",
  },
  "the quality of a classifier": {
    address: (ids) => inProject(`classifiers/${ids.classifier}?tab=quality`)(ids),
    calls: ({ classifier }) => [`GET /api/v1/classify/${classifier}/quality`],
    data: "Receipt",
  },
  "the models": {
    address: inProject("models"),
    calls: (ids) => [`${listed(ids)}/deployments`],
    data: "Receipts",
  },
  "the schema of a model": {
    address: (ids) => inProject(`models/${ids.model}`)(ids),
    calls: ({ model }) => [`GET /api/v1/deployments/${model}/configuration`],
    data: "Total amount",
  },
  "the versions of a model": {
    address: (ids) => inProject(`models/${ids.model}?tab=versions`)(ids),
    calls: ({ model }) => [`GET /api/v1/deployments/${model}/configuration/versions`],
    data: "Invoices",
  },
  "the deployments of a model": {
    address: (ids) => inProject(`models/${ids.model}?tab=deployments`)(ids),
    calls: (ids) => [`${listed(ids)}/deployments`],
    data: "Invoices, stable",
  },
  "the benchmark runs": {
    address: inProject("benchmarks"),
    calls: (ids) => [`${listed(ids)}/benchmarks`],
    data: "First run",
  },
  "a benchmark run": {
    address: (ids) => inProject(`benchmarks/${ids.run}`)(ids),
    calls: ({ run }) => [`GET /api/v1/benchmarks/${run}`, `GET /api/v1/benchmarks/${run}/metrics`],
    data: "First run",
  },
  "the files of a run": {
    address: (ids) => inProject(`benchmarks/${ids.run}/files`)(ids),
    calls: ({ run }) => [`GET /api/v1/benchmarks/${run}/files`],
    data: "accepted.pdf",
  },
  "the cells of a file in a run": {
    address: (ids) => inProject(`benchmarks/${ids.run}/files/${ids.file}`)(ids),
    calls: ({ run, file }) => [`GET /api/v1/benchmarks/${run}/files/${file}`],
    data: "accepted.pdf",
  },
  "the comparison of two runs": {
    address: (ids) => inProject(`benchmarks/${ids.run}/comparison`)(ids),
    calls: ({ run }) => [`GET /api/v1/benchmarks/${run}/compare`],
    data: "invoice_date",
  },
  "the gate of a run": {
    address: (ids) => inProject(`benchmarks/${ids.run}/gate`)(ids),
    act: async (page) => {
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByRole("table", { name: "Result by rule" }).waitFor();
    },
    calls: ({ run }) => [`POST /api/v1/benchmarks/${run}:gate`],
    data: "First run",
  },
  "the values": {
    address: (ids) => inProject(`values?model=${ids.model}`)(ids),
    calls: ({ model }) => [`GET /api/v1/deployments/${model}/values`],
    data: "accepted.pdf",
  },
  "the projects": { address: () => "/administration/projects", calls: () => ["GET /api/v1/projects"], data: "payable" },
  "the teams": { address: () => "/administration/teams", calls: () => ["GET /api/v1/teams"], data: "Bookkeepers" },
  "the users": { address: () => "/administration/users", calls: () => ["GET /api/v1/users"], data: "Ada Lovelace" },
  "the tokens": { address: () => "/administration/tokens", calls: () => ["GET /api/v1/tokens"], data: "swo_" },
  "the audit trail": {
    address: () => "/administration/audit",
    calls: () => ["GET /api/v1/audit"],
    data: "user.create",
  },
  "the engines": { address: () => "/administration/engines", calls: () => ["GET /api/v1/engines"], data: "local" },
  "the health": { address: () => "/administration/health", calls: () => ["GET /healthz", "GET /readyz"], data: "" },
};

describeWith(chromium, "the calls behind the pages of the console", (path) => {
  const given = givenOffice();
  let browser: Browser;
  let page: Page;
  let cli: CliRunner;
  let folder: string;
  let ids: Shown;

  beforeAll(async () => {
    const { rest, office, system } = given;
    const { projectId, classifier, invoices } = office;
    folder = await mkdtemp(join(tmpdir(), "switchyard-calls-"));
    await writeFile(join(folder, "FILE"), "INVOICE\nTotal due: 12.50");
    cli = await createCliRunner(system);
    const bytes = await sample("invoice-harbour-lane.pdf");
    const record = await getBody(rest.upload(`/api/v1/classify/${classifier}`, "invoice.pdf", bytes), 201);
    const { data: routes } = await getBody(rest.get(`/api/v1/classify/${classifier}/routes`), 200);
    const review = `/api/v1/classify/${classifier}/classifications/${record.id}:review`;
    await getBody(rest.post(review, { routeId: routes[0].id, extract: false }), 200);
    await getBody(rest.post("/api/v1/teams", { name: "Bookkeepers", projectIds: [], userIds: [] }), 201);
    await getBody(rest.post("/api/v1/users", { name: "Ada Lovelace" }), 201);
    const noKind = new TextEncoder().encode("Zwei Boxkämpfer jagen Eva quer durch Sylt.");
    await getBody(rest.upload(`/api/v1/classify/${classifier}`, "left.txt", noKind), 201);
    const file = await acceptedInvoice(rest, office, "accepted.pdf", bytes);
    const start = async (name: string): Promise<string> => {
      const runs = `/api/v1/projects/${projectId}/benchmarks`;
      const { executionId } = await getBody(rest.post(runs, { deploymentId: invoices, name }), 201);
      await finishedExecution(rest, executionId);
      return executionId;
    };
    await start("Run before");
    const made = { classification: record.id, extraction: record.extraction.id, model: invoices };
    ids = { projectId, classifier, ...made, run: await start("First run"), file };
    browser = await startChromium(path);
    ({ page } = await openConsole(browser, system.url, system.token));
  });
  afterAll(async () => {
    await browser?.close();
    await cli?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the calls of the open page, once these are among them, as they are listed and as they are copied. */
  const copyAll = async (expected: readonly string[]): Promise<{ call: string; curl: string; command: string }[]> => {
    await page.getByRole("button", { name: "Calls of this page" }).click();
    const dialog = page.getByRole("dialog");
    for (const call of expected) await dialog.locator("pre").filter({ hasText: call }).first().waitFor();
    // Nothing covers the buttons.
    await dialog.getByRole("button", { name: "Copy as command" }).last().click({ trial: true });
    const { calls, copied } = await page.evaluate<{ calls: string[]; copied: string[] }>(`(() => {
      const copied = [];
      navigator.clipboard.writeText = async (text) => void copied.push(text);
      const find = (selector) => [...document.querySelectorAll("[role=dialog] " + selector)];
      for (const button of find("button")) button.click();
      return { calls: find("pre").map(({ textContent }) => textContent), copied };
    })()`);
    expect(copied.length).toBe(2 * calls.length);
    return calls.map((call, index) => ({
      call,
      curl: copied[2 * index] ?? "",
      command: copied[2 * index + 1] ?? "",
    }));
  };

  /** Runs a command line of curl in a shell. Returns its status and its body. A stream does not end, so it is left after a while. */
  const runCurl = async (line: string, seconds: number): Promise<{ status: number; body: string }> => {
    const env = { PATH: process.env["PATH"] ?? "", SWITCHYARD_TOKEN: given.system.token };
    const limited = `${line} --silent --max-time ${seconds} --write-out '\\n%{http_code}'`;
    const { stdout } = await execute("/bin/sh", ["-c", limited], { cwd: folder, env, maxBuffer: 2 ** 26 }).catch(
      (error: { stdout: string }) => error,
    );
    const [, body = "", status = ""] = /^([^]*)\n(\d+)$/.exec(stdout) ?? [];
    return { status: Number(status), body };
  };

  /** Runs a command line of `switchyard` with the words that a shell makes of it. */
  const runCommand = async (line: string) => {
    const { stdout } = await execute("/bin/sh", ["-c", `switchyard() { printf '%s\\0' "$@"; }; ${line}`]);
    return cli.run(stdout.split("\0").slice(0, -1), { folder });
  };

  it.each(Object.entries(pages))("of %s can be copied and run", async (_, { address, calls, data, act }) => {
    await page.goto(`${given.system.url}/console${address(ids)}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByLabel("Loading").first().waitFor({ state: "detached" });
    await act?.(page);
    await page
      .getByRole("main")
      .getByText(new RegExp(data.replaceAll("$", "\\$")))
      .first()
      .waitFor({ state: "attached" });
    const copied = await copyAll(calls(ids));
    let bodies = "";
    for (const { call, curl, command } of copied) {
      const isStream = call.endsWith("/events");
      const { status, body } = await runCurl(curl, isStream ? 1 : 60);
      expect([call, Math.floor(status / 100)]).toEqual([call, 2]);
      bodies += body;
      if (isStream) continue;
      const { exitCode, stdout, stderr } = await runCommand(command);
      expect([call, exitCode, stderr]).toEqual([call, 0, ""]);
      // The same response, whichever is used: a record that was made has an ID of its own.
      if (call.startsWith("GET /api/")) expect([call, stdout]).toEqual([call, body]);
    }
    expect(bodies).toContain(data);
  });
});
