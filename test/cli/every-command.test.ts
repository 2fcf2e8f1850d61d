import { commands } from "@switchyard/cli";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finishedExtraction, sample } from "../journeys/fixture.ts";
import { root } from "../processes.ts";
import { acceptedInvoice, finishedExecution } from "../specification/testing/benchmarks.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { buildBundle, runToEnd } from "./bundle.ts";
import type { Bundle } from "./bundle.ts";
import { runInTerminal } from "./pseudo-terminal.ts";

/** Where a command runs. Each place gets its own resources to change. */
type Place = "terminal" | "pipe";

/** Creates a command line that succeeds, with a pattern of its output. */
type Line = (place: Place) => Promise<{ argv: string[]; prints: RegExp }>;

describe("every command, bundled, against a running server", () => {
  const given = givenOffice();
  let bundle: Bundle;
  let folder: string;
  let extraction: string;
  let execution: string;
  beforeAll(async () => {
    const { rest, office } = given;
    [bundle, folder] = await Promise.all([buildBundle(), mkdtemp(join(tmpdir(), "switchyard-commands-"))]);
    await acceptedInvoice(rest, office, "one.pdf", await sample("invoice-harbour-lane.pdf"));
    const upload = rest.upload(
      `/api/v1/classify/${office.classifier}`,
      "two.pdf",
      await sample("invoice-brightwater.pdf"),
    );
    extraction = (await getBody(upload, 201)).extraction.id;
    await finishedExtraction(rest, extraction);
    const benchmark = { deploymentId: office.invoices, name: "Nightly" };
    execution = (await getBody(rest.post(`/api/v1/projects/${office.projectId}/benchmarks`, benchmark), 201))
      .executionId;
    await finishedExecution(rest, execution);
  }, 120_000);
  afterAll(async () => {
    await bundle?.remove();
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
  const inProject = () => ["--project-id", given.office.projectId];
  const path = join(root, "samples", "receipt-coffee.pdf");

  const lines: Record<string, Line> = {
    "classify list": async () => ({ argv: inProject(), prints: /Accounts payable inbox/ }),
    "classify create": async (place) => ({
      argv: [...inProject(), "--name", `Made in a ${place}`],
      prints: new RegExp(`Made in a ${place}`),
    }),
    "classify get": async () => ({ argv: [given.office.classifier], prints: /Accounts payable inbox/ }),
    "classify add-route": async () => ({
      argv: [(await newClassifier()).id, "--deployment-id", given.office.invoices, "--name", "Bill"],
      prints: /rte_.*Bill/,
    }),
    "classify routes": async () => ({ argv: [given.office.classifier], prints: /rte_.*Receipt/ }),
    "classify remove-route": async () => {
      const { id, routeId } = await newClassifier();
      return { argv: [id, routeId], prints: /^[^]*$/ };
    },
    "classify make-global": async () => ({ argv: [(await newClassifier()).id], prints: /GLOBAL/ }),
    "classify make-project-scoped": async () => ({ argv: [(await newClassifier("GLOBAL")).id], prints: /PROJECT/ }),
    "classify run": async () => ({ argv: [given.office.classifier, path, "--again"], prints: /CLASSIFIED.*Receipt/ }),
    "classify results": async () => ({ argv: [given.office.classifier], prints: /CLASSIFIED.*Invoice/ }),
    "deployments list": async () => ({ argv: inProject(), prints: /MODEL +ACTIVE|MODEL\tACTIVE/ }),
    "deployments create": async (place) => ({
      argv: [...inProject(), "--name", `Model of a ${place}`],
      prints: new RegExp(`Model of a ${place}`),
    }),
    "deployments config": async () => ({ argv: [given.office.invoices], prints: /invoice_number/ }),
    "deployments pause": async () => ({ argv: [given.office.deployment], prints: /PAUSED/ }),
    "deployments resume": async () => ({ argv: [given.office.deployment], prints: /ACTIVE/ }),
    "projects list": async () => ({ argv: [], prints: /Accounts payable/ }),
    "projects create": async (place) => ({
      argv: ["--name", `Project of a ${place}`],
      prints: new RegExp(`Project of a ${place}`),
    }),
    "files upload": async () => ({
      argv: [path, ...inProject()],
      prints: /fil_.*receipt-coffee\.pdf|receipt-coffee\.pdf.*fil_/,
    }),
    "files list": async () => ({ argv: inProject(), prints: /one\.pdf/ }),
    "extractions get": async () => ({ argv: [extraction], prints: /COMPLETED/ }),
    "extractions accept": async () => ({ argv: [extraction], prints: /^[^]*$/ }),
    "benchmarks list": async () => ({ argv: inProject(), prints: /bmk_.*Nightly/ }),
    "benchmarks run": async () => ({
      argv: [...inProject(), "--deployment-id", given.office.invoices, "--name", "By hand", "--wait"],
      prints: /COMPLETED/,
    }),
    "benchmarks get": async () => ({ argv: [execution], prints: /COMPLETED/ }),
    "benchmarks watch": async () => ({ argv: [execution], prints: /COMPLETED/ }),
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
  it.each(Object.keys(lines))("%s, in a terminal and piped", async (name) => {
    const { url, token } = given.system;
    const connection = { SWITCHYARD_BASE_URL: url, ...(name === "login" ? {} : { SWITCHYARD_TOKEN: token }) };
    const line = lines[name] as Line;
    const words = name.split(" ");

    const inTerminal = await line("terminal");
    const seen = await runInTerminal(bundle.file, [...words, ...inTerminal.argv], {
      folder,
      environment: { ...connection, NO_COLOR: "1", XDG_CONFIG_HOME: join(folder, "terminal") },
      columns: 300,
      ...(name === "login" ? { answer: [/Token for .*: /, `${token}\r`] as const } : {}),
    });
    expect([seen.exitCode, seen.output]).toEqual([0, expect.stringMatching(inTerminal.prints)]);
    expect(seen.output).not.toContain(token);

    const piped = await line("pipe");
    const environment = { ...connection, XDG_CONFIG_HOME: join(folder, "pipe") };
    const ended = await runToEnd(process.execPath, [bundle.file, ...words, ...piped.argv], {
      cwd: folder,
      environment,
      stdin: name === "login" ? token : "",
    });
    expect([ended.exitCode, ended.stdout + ended.stderr]).toEqual([0, expect.stringMatching(piped.prints)]);
    expect(ended.stdout + ended.stderr).not.toContain("\u001b");
  });
});
