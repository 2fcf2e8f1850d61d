import { commands } from "@switchyard/cli";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finishedExtraction, sample } from "../journeys/fixture.ts";
import { root } from "../processes.ts";
import { acceptedInvoice, finishedExecution } from "../specification/testing/benchmarks.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { buildBundle, runToEnd } from "./bundle.ts";
import type { Bundle } from "./bundle.ts";
import { runInTerminal } from "./pseudo-terminal.ts";
import { startRecordingProxy } from "./recording-proxy.ts";
import type { RecordingProxy } from "./recording-proxy.ts";

const isLong = process.env["SWITCHYARD_TEST_COUNTS"] === "long";

/** Where a command runs. Each place gets its own resources to change. */
type Place = "terminal" | "pipe";

/** Creates a command line that succeeds, with a pattern of its output. */
type Line = (place: Place) => Promise<{ argv: string[]; prints: RegExp }>;

describe("every command, bundled, against a running server", () => {
  const given = givenOffice();
  let bundle: Bundle;
  let folder: string;
  let proxy: RecordingProxy;
  /** A classification, and the extraction that followed it. */
  let record: string;
  let extraction: string;
  let execution: string;
  beforeAll(async () => {
    const { rest, office } = given;
    [bundle, folder, proxy] = await Promise.all([
      buildBundle(),
      mkdtemp(join(tmpdir(), "switchyard-commands-")),
      startRecordingProxy(given.system.url),
    ]);
    await acceptedInvoice(rest, office, "one.pdf", await sample("invoice-harbour-lane.pdf"));
    const upload = rest.upload(
      `/api/v1/classify/${office.classifier}`,
      "two.pdf",
      await sample("invoice-brightwater.pdf"),
    );
    const classified = await getBody(upload, 201);
    record = classified.id;
    extraction = classified.extraction.id;
    await finishedExtraction(rest, extraction);
    const benchmark = { deploymentId: office.invoices, name: "Nightly" };
    execution = (await getBody(rest.post(`/api/v1/projects/${office.projectId}/benchmarks`, benchmark), 201))
      .executionId;
    await finishedExecution(rest, execution);
  });
  afterAll(async () => {
    await Promise.all([bundle?.remove(), proxy?.close()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  let made = 0;
  /** Creates a classifier with one route, and makes it global if requested. */
  async function newClassifier(scope: "PROJECT" | "GLOBAL" = "PROJECT"): Promise<{ id: string; routeId: string }> {
    const { rest, office } = given;
    const routes = [{ deploymentId: office.receipts, name: "Receipt" }];
    const body = { projectId: office.projectId, name: `Classifier ${(made += 1)}`, routes };
    const { id, deploymentRoutes } = await getBody(rest.post("/api/v1/classify", body), 201);
    if (scope === "GLOBAL") await getBody(rest.post(`/api/v1/classify/${id}:makeGlobal`), 200);
    return { id, routeId: deploymentRoutes[0].id };
  }
  /** Classifies an invoice with a classifier of its own, which may learn without a change to what others decide. */
  async function newClassification(): Promise<{ classifier: string; routeId: string; id: string }> {
    const { rest } = given;
    const { id: classifier, routeId } = await newClassifier();
    const upload = rest.upload(`/api/v1/classify/${classifier}`, "own.pdf", await sample("invoice-brightwater.pdf"));
    return { classifier, routeId, id: (await getBody(upload, 201)).id };
  }
  async function newReview(): Promise<{ classifier: string; id: string }> {
    const { classifier, routeId, id } = await newClassification();
    const path = `/api/v1/classify/${classifier}/classifications/${id}:review`;
    await getBody(given.rest.post(path, { routeId, extract: false }), 200);
    return { classifier, id };
  }
  /** Creates an object by a POST, and returns its ID. */
  async function newId(path: string, body: unknown): Promise<string> {
    return (await getBody(given.rest.post(`/api/v1/${path}`, body), 201)).id;
  }
  const newPdf = async () => {
    const bytes = await sample("invoice-harbour-lane.pdf");
    return (
      await getBody(given.rest.upload(`/api/v1/projects/${given.office.projectId}/files`, "page.pdf", bytes), 201)
    ).id;
  };
  const newJob = () => newId(`deployments/${given.office.invoices}:extractAll`, {});
  const newProject = () => newId("projects", { name: `Project ${(made += 1)}` });
  const setPolicy = () => {
    const headers = { "content-type": "application/json" };
    const request = { method: "PUT", headers, body: JSON.stringify({ confidence: 0.9 }) };
    return getBody(given.rest.send(`/api/v1/deployments/${given.office.invoices}/review-policy`, request), 200);
  };
  const newModel = () => newId(`projects/${given.office.projectId}/deployments`, { name: `Model ${(made += 1)}` });
  const newTeam = () => newId("teams", { name: `Team ${(made += 1)}` });
  const newToken = () => {
    const { projectId } = given.office;
    return newId("tokens", { name: `Token ${(made += 1)}`, scope: "PROJECT", projectId, permissions: ["classify"] });
  };
  /** Creates a text file that is accepted for the model of receipts. */
  async function newFile(): Promise<string> {
    const { rest, office } = given;
    const upload = `/api/v1/projects/${office.projectId}/files`;
    const { id } = await getBody(rest.upload(upload, "till.txt", new TextEncoder().encode(`Till ${(made += 1)}`)), 201);
    const body = JSON.stringify({ deploymentId: office.receipts, tables: JSON.parse(tillTables) });
    const headers = { "content-type": "application/json" };
    await getBody(rest.send(`/api/v1/files/${id}/accepted-values`, { method: "PUT", headers, body }), 200);
    return id;
  }
  const tillTables = JSON.stringify([{ slug: "receipt", rows: [{ values: { company: "Corner shop", total: 12.5 } }] }]);
  async function newExecution(): Promise<string> {
    const { rest, office } = given;
    const body = { deploymentId: office.invoices, name: `Run ${(made += 1)}` };
    const path = `/api/v1/projects/${office.projectId}/benchmarks`;
    const { executionId } = await getBody(rest.post(path, body), 201);
    await finishedExecution(rest, executionId);
    return executionId;
  }
  const forReceipts = () => ["--deployment-id", given.office.receipts];
  const inProject = () => ["--project-id", given.office.projectId];
  const path = join(root, "samples", "receipt-coffee.pdf");

  const lines: Record<string, Line> = {
    "classify list": async () => ({ argv: inProject(), prints: /Accounts payable inbox/ }),
    "classify create": async (place) => ({
      argv: [...inProject(), "--name", `Made in a ${place}`, "--settings", '{"minConfidence": 0.5}'],
      prints: new RegExp(`Made in a ${place}`),
    }),
    "classify get": async () => ({ argv: [given.office.classifier], prints: /Accounts payable inbox/ }),
    "classify update": async (place) => ({
      argv: [(await newClassifier()).id, "--name", `Renamed in a ${place}`],
      prints: new RegExp(`Renamed in a ${place}`),
    }),
    "classify delete": async () => ({ argv: [(await newClassifier()).id], prints: /clf_\w+ is deleted/ }),
    "classify make-global": async () => ({ argv: [(await newClassifier()).id], prints: /GLOBAL/ }),
    "classify make-project-scoped": async () => ({ argv: [(await newClassifier("GLOBAL")).id], prints: /PROJECT/ }),
    "classify add-route": async () => ({
      argv: [(await newClassifier()).id, "--deployment-id", given.office.invoices, "--name", "Bill"],
      prints: /rte_.*Bill/,
    }),
    "classify routes": async () => ({ argv: [given.office.classifier], prints: /rte_.*Receipt/ }),
    "classify get-route": async () => {
      const { id, routeId } = await newClassifier();
      return { argv: [id, routeId], prints: /model:?\s+Receipts \(mdl_/ };
    },
    "classify update-route": async () => {
      const { id, routeId } = await newClassifier();
      return {
        argv: [id, routeId, "--disabled", "--min-confidence", "0.75", "--example", "Till receipt"],
        prints: /DISABLED[^]*0\.75[^]*Till receipt/,
      };
    },
    "classify remove-route": async () => {
      const { id, routeId } = await newClassifier();
      return { argv: [id, routeId], prints: /is removed/ };
    },
    "classify run": async () => ({ argv: [given.office.classifier, path, "--again"], prints: /CLASSIFIED.*Receipt/ }),
    "classify results": async (place) => ({
      argv: [given.office.classifier, ...(place === "pipe" ? [record] : [])],
      prints: /CLASSIFIED[^]*Invoice/,
    }),
    "classify review": async (place) => {
      const { classifier, routeId, id } = await newClassification();
      return {
        argv: [classifier, id, ...(place === "pipe" ? ["--no-route"] : ["--route-id", routeId])],
        prints: place === "pipe" ? /^review\tno route \(usr_/m : /^review: +\w.* \(usr_/m,
      };
    },
    "classify remove-review": async () => {
      const { classifier, id } = await newReview();
      return { argv: [classifier, id], prints: /is removed/ };
    },
    "classify reclassify": async () => ({ argv: [given.office.classifier, record], prints: /CLASSIFIED/ }),
    "classify explain": async () => ({
      argv: [given.office.classifier, record],
      prints: /decided again[^]*same decision:?\s+yes[^]*Receipt/,
    }),
    "classify batch": async () => ({
      argv: [given.office.classifier, "--items", '[{"text": "Till receipt from a shop"}]'],
      prints: /text\.txt/,
    }),
    "classify quality": async (place) => {
      const { classifier } = await newReview();
      // One document is enough for a precision of 50 %, so there is a threshold to set.
      return {
        argv: [classifier, "--precision", "0.5", "--apply", ...(place === "pipe" ? ["--replay"] : [])],
        prints: /reviewed documents:?\s+1\r?\n[^]*Receipt/,
      };
    },
    "review list": async () => ({ argv: inProject(), prints: /CLASSIFICATION|EXTRACTION/ }),
    "deployments list": async () => ({ argv: inProject(), prints: /MODEL +ACTIVE|MODEL\tACTIVE/ }),
    "deployments create": async (place) => ({
      argv: [...inProject(), "--name", `Model of a ${place}`],
      prints: new RegExp(`Model of a ${place}`),
    }),
    "deployments deploy": async (place) => ({
      argv: [given.office.invoices, "--name", `Deployed in a ${place}`],
      prints: /dep_.*PRODUCTION/,
    }),
    "deployments update": async (place) => ({
      argv: [await newModel(), "--name", `Renamed in a ${place}`],
      prints: new RegExp(`Renamed in a ${place}`),
    }),
    "deployments promote": async (place) => {
      const { deployment, firstSchema, secondSchema } = given.office;
      const schema = place === "pipe" ? firstSchema : secondSchema;
      return { argv: [deployment, "--extraction-schema-id", schema], prints: new RegExp(schema) };
    },
    "deployments pause": async () => ({ argv: [given.office.deployment], prints: /PAUSED/ }),
    "deployments resume": async () => ({ argv: [given.office.deployment], prints: /ACTIVE/ }),
    "deployments delete": async () => ({ argv: [await newModel()], prints: /mdl_\w+ is deleted/ }),
    "deployments routes": async () => ({ argv: [given.office.invoices], prints: /clf_.*Invoice/ }),
    "deployments config": async () => ({ argv: [given.office.invoices], prints: /invoice_number/ }),
    "deployments update-config": async (place) => {
      const file = join(folder, `${place}.json`);
      await writeFile(file, JSON.stringify({ tables: [{ slug: "letter" }], columns: [{ slug: `${place}_number` }] }));
      return { argv: [await newModel(), "--configuration", file], prints: new RegExp(`${place}_number`) };
    },
    "deployments versions": async () => ({ argv: [given.office.invoices], prints: /sch_.*no/ }),
    "deployments diff": async () => ({ argv: [given.office.invoices, "--from", "1"], prints: /ADDED.*iban/ }),
    "deployments risk": async (place) => ({
      argv: [given.office.invoices, ...(place === "pipe" ? ["--error", "0.02", "--confidence", "0.9"] : [])],
      prints: /more files needed:?\s+\d[^]*invoice_number/,
    }),
    "deployments set-review-policy": async () => ({
      argv: [given.office.invoices, "--error", "0.02"],
      prints: /wrong values at most:?\s+2\.0 %/,
    }),
    "deployments review-policy": async () => {
      await setPolicy();
      return { argv: [given.office.invoices], prints: /confidence:?\s+90\.0 %/ };
    },
    "deployments remove-review-policy": async () => {
      await setPolicy();
      return { argv: [given.office.invoices], prints: /review policy .* is removed/ };
    },
    "deployments extract-all": async () => ({ argv: [given.office.invoices], prints: /job_.*(RUNNING|COMPLETED)/ }),
    "jobs get": async () => ({ argv: [await newJob()], prints: /job_/ }),
    "jobs cancel": async () => ({ argv: [await newJob()], prints: /job_.*(CANCELLED|COMPLETED)/ }),
    "engines list": async () => ({ argv: [], prints: /local\s+READY/ }),
    "projects list": async () => ({ argv: [], prints: /Accounts payable/ }),
    "projects create": async (place) => ({
      argv: ["--name", `Project of a ${place}`],
      prints: new RegExp(`Project of a ${place}`),
    }),
    "projects get": async () => ({ argv: [given.office.projectId], prints: /Accounts payable/ }),
    "projects update": async (place) => ({
      argv: [await newProject(), "--name", `Renamed in a ${place}`],
      prints: new RegExp(`Renamed in a ${place}`),
    }),
    "projects delete": async () => ({ argv: [await newProject()], prints: /prj_\w+ is deleted/ }),
    "projects classifications": async (place) => ({
      argv: [given.office.projectId, ...(place === "pipe" ? ["--status", "CLASSIFIED", "--limit", "1"] : [])],
      prints: /CLASSIFIED[^]*Invoice/,
    }),
    "projects events": async () => {
      // Something happens once the command listens, and before.
      const timer = setInterval(() => void newJob().catch(() => undefined), 500);
      setTimeout(() => clearInterval(timer), 8_000).unref();
      return { argv: [given.office.projectId, "--count", "1"], prints: /(JOB|EXTRACTION)\s/ };
    },
    "files upload": async () => ({
      argv: [path, ...inProject()],
      prints: /fil_.*receipt-coffee\.pdf|receipt-coffee\.pdf.*fil_/,
    }),
    "files list": async () => ({ argv: [...inProject(), "--accepted"], prints: /one\.pdf/ }),
    "files get": async () => ({ argv: [await newFile()], prints: /till\.txt[^]*READ/ }),
    "files download": async () => ({ argv: [await newFile()], prints: /^Till \d+/ }),
    "files text": async () => ({ argv: [await newFile()], prints: /Till \d+/ }),
    "files image": async () => ({
      argv: [await newPdf(), "1", "--width", "100", "--output-file", join(folder, `page-${(made += 1)}.png`)],
      prints: /page-\d+\.png: \d+ bytes/,
    }),
    "files delete": async () => ({ argv: [await newFile()], prints: /fil_\w+ is deleted/ }),
    "extractions list": async () => ({ argv: inProject(), prints: /ext_.*COMPLETED/ }),
    "extractions create": async () => ({
      argv: [...forReceipts(), "--file-id", await newFile()],
      prints: /RUNNING|COMPLETED/,
    }),
    "extractions get": async () => ({ argv: [extraction], prints: /COMPLETED/ }),
    "extractions accept": async () => ({
      argv: [extraction, "--set", "invoice.0.total=7.5", "--set", "invoice.0.invoice_number=17"],
      prints: /fil_.*mdl_/,
    }),
    "values list": async () => ({ argv: [given.office.invoices], prints: /invoice_number: 17.*total: 7\.5/ }),
    "values export": async () => ({ argv: [given.office.invoices], prints: /fileId,filename,row,[^]*one\.pdf/ }),
    "accepted-values get": async () => ({ argv: [await newFile(), ...forReceipts()], prints: /company.*Corner shop/ }),
    "accepted-values set": async () => ({
      argv: [await newFile(), ...forReceipts(), "--tables", tillTables],
      prints: /fil_.*mdl_.*1/,
    }),
    "accepted-values delete": async () => ({ argv: [await newFile(), ...forReceipts()], prints: /no longer accepted/ }),
    "accepted-values import": async (place) => {
      const file = join(folder, `${place}.jsonl`);
      await writeFile(file, `${JSON.stringify({ fileId: await newFile(), values: { total: 3 } })}\n`);
      return { argv: [file, ...inProject(), ...forReceipts()], prints: /1 files are accepted, 0 are rejected/ };
    },
    "benchmarks list": async () => ({ argv: inProject(), prints: /bmk_.*Nightly/ }),
    "benchmarks run": async () => ({
      argv: [...inProject(), "--deployment-id", given.office.invoices, "--name", "By hand", "--wait"],
      prints: /COMPLETED/,
    }),
    "benchmarks get": async () => ({ argv: [execution], prints: /COMPLETED/ }),
    "benchmarks watch": async () => ({ argv: [execution], prints: /COMPLETED/ }),
    "benchmarks cancel": async () => ({ argv: [execution], prints: /COMPLETED/ }),
    "benchmarks delete": async () => ({ argv: [await newExecution()], prints: /bmk_\w+ is deleted/ }),
    "benchmarks compare": async () => ({
      argv: [execution, "--baseline", execution, "--margin", "0.02"],
      prints: /successRate.*EQUIVALENT/,
    }),
    "benchmarks gate": async () => ({
      argv: [execution, "--baseline", execution, "--rule", "compare.successRate.delta >= -0.01"],
      prints: /compare\.successRate\.delta.*passed/,
    }),
    "benchmarks metrics": async () => ({ argv: [execution], prints: /correct cells/ }),
    "benchmarks files": async () => ({ argv: [execution], prints: /one\.pdf.*SCORED/ }),
    "benchmarks cells": async () => {
      const { body } = await given.rest.get(`/api/v1/benchmarks/${execution}/files`);
      return { argv: [execution, body.data[0].fileId], prints: /invoice_number.*CORRECT/ };
    },
    "tokens list": async () => ({ argv: [], prints: /tok_.*ORGANIZATION/ }),
    "tokens create": async () => ({
      argv: ["--name", "Scanner", "--scope", "PROJECT", ...inProject(), "--permission", "classify"],
      prints: /secret:?\s+sw[yp]_[^]*shown only this once/,
    }),
    "tokens rotate": async () => ({
      argv: [await newToken(), "--grace-seconds", "0"],
      prints: /secret:?\s+sw[yp]_[^]*shown only this once/,
    }),
    "tokens revoke": async () => ({ argv: [await newToken()], prints: /tok_\w+ is revoked/ }),
    "teams list": async () => ({ argv: [], prints: /team_.*Everyone/ }),
    "teams create": async (place) => ({
      argv: ["--name", `Team of a ${place}`, ...inProject()],
      prints: new RegExp(`Team of a ${place}.*prj_`),
    }),
    "teams update": async () => ({ argv: [await newTeam(), "--clear", "project-id"], prints: /team_/ }),
    "teams delete": async () => ({ argv: [await newTeam()], prints: /team_\w+ is deleted/ }),
    "users list": async () => ({ argv: [], prints: /usr_.*Ada/ }),
    "users create": async () => ({ argv: ["--name", "Grace"], prints: /usr_.*Grace/ }),
    "audit list": async () => ({ argv: ["--action", "project.create"], prints: /project\.create.*DONE/ }),
    login: async (place) => ({
      argv: ["--profile", "here", ...(place === "pipe" ? ["--token-stdin"] : [])],
      prints: /as Ada of Acme/,
    }),
    whoami: async () => ({ argv: [], prints: /Ada/ }),
    logout: async () => ({ argv: ["--profile", "here"], prints: /^[^]*$/ }),
    api: async () => ({ argv: ["GET", "me"], prints: /"organization":/ }),
    completion: async () => ({ argv: ["bash"], prints: /switchyard/ }),
  };
  const paths = commands
    .filter(({ hidden }) => hidden !== true)
    .map(({ noun, verb }) => [noun, verb].filter(Boolean).join(" "));

  it("has a line in this table", () => {
    expect(Object.keys(lines).sort()).toEqual([...paths].sort());
  });

  // In the order of the table, because a profile exists only between login and logout.
  it.each(Object.keys(lines).map((name, index) => ({ name, index })))("$name", async ({ name, index }) => {
    const words = name.split(" ");
    const command = commands.find(({ noun, verb }) => [noun, verb].filter(Boolean).join(" ") === name);
    const calls = command?.calls ?? [];
    // Starting a command takes most of the time, so with small counts, each runs in one of the places in turn. The calls of a command that
    // makes several may depend on the place.
    const both = isLong || name.startsWith("log") || calls.length > 1;
    const places: Place[] = both ? ["terminal", "pipe"] : [index % 2 === 0 ? "terminal" : "pipe"];
    const { token } = given.system;
    const connection = { SWITCHYARD_BASE_URL: proxy.url, ...(name === "login" ? {} : { SWITCHYARD_TOKEN: token }) };
    const line = lines[name] as Line;
    proxy.takeCalls();

    if (places.includes("terminal")) {
      const { argv, prints } = await line("terminal");
      const seen = await runInTerminal(bundle.file, [...words, ...argv], {
        folder,
        environment: { ...connection, NO_COLOR: "1", XDG_CONFIG_HOME: join(folder, "terminal") },
        columns: 300,
        ...(name === "login" ? { answer: [/Token for .*: /, `${token}\r`] as const } : {}),
      });
      expect([seen.exitCode, seen.output]).toEqual([0, expect.stringMatching(prints)]);
      expect(seen.output).not.toContain(token);
    }
    if (places.includes("pipe")) {
      const { argv, prints } = await line("pipe");
      const environment = { ...connection, XDG_CONFIG_HOME: join(folder, "pipe") };
      const ended = await runToEnd(process.execPath, [bundle.file, ...words, ...argv], {
        cwd: folder,
        environment,
        stdin: name === "login" ? token : "",
      });
      expect([ended.exitCode, ended.stdout + ended.stderr]).toEqual([0, expect.stringMatching(prints)]);
      expect(ended.stdout + ended.stderr).not.toContain("\u001b");
    }
    // operations.test.ts relies on commands making the calls of their definition.
    if (name !== "api") expect(proxy.takeCalls()).toEqual([...calls].sort());
  });
});
