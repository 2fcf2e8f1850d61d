import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import stringWidth from "string-width";
import { finishedExtraction, sample } from "../journeys/fixture.ts";
import { getBody, givenOffice } from "../specification/testing/office.ts";
import { createCliRunner, ended, expectGolden } from "./terminal.ts";
import type { CliRunner } from "./terminal.ts";

// Control characters, except for the line ends between rows and, in a pipe, the tabs between columns.
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe("the output of commands", () => {
  const given = givenOffice();
  let cli: CliRunner;
  /** Command lines, by the name of their golden file. */
  let lines: Record<string, readonly string[]>;
  let extraction: string;

  beforeAll(async () => {
    const { rest, office, system } = given;
    cli = await createCliRunner(system);
    const contracts = await getBody(rest.post("/api/v1/projects", { name: "Contracts" }), 201);
    const agreements = await getBody(
      rest.post(`/api/v1/projects/${contracts.id}/deployments`, {
        name: "Agreements",
        tables: [{ slug: "agreement" }],
        columns: [{ slug: "party", name: "Party", sharedId: "counterparty", excludedFromExtraction: true }],
      }),
      201,
    );
    const route = { deploymentId: office.invoices, name: "Invoice" };
    const { id: globalOne } = await getBody(
      rest.post("/api/v1/classify", { projectId: office.projectId, name: "Inbox triage", routes: [route] }),
      201,
    );
    await getBody(rest.post(`/api/v1/classify/${globalOne}:makeGlobal`), 200);
    const toContracts = { deploymentId: agreements.id, name: "Agreement" };
    await getBody(rest.post(`/api/v1/classify/${globalOne}/routes`, toContracts), 201);
    const record = await getBody(
      rest.upload(`/api/v1/classify/${office.classifier}`, "invoice.pdf", await sample("invoice-harbour-lane.pdf")),
      201,
    );
    extraction = record.extraction.id;
    await finishedExtraction(rest, extraction);
    const file = new TextEncoder().encode("Nothing to be seen here");
    await getBody(rest.upload(`/api/v1/projects/${office.projectId}/files`, "note.txt", file), 201);
    await getBody(rest.upload(`/api/v1/classify/${office.classifier}`, "note.txt", file), 201);
    await getBody(rest.post(`/api/v1/deployments/${office.deployment}:pause`), 200);
    const inProject = ["--project-id", office.projectId];
    lines = {
      "classify-list": ["classify", "list", ...inProject],
      "classify-get": ["classify", "get", office.classifier],
      "classify-routes": ["classify", "routes", globalOne],
      "classify-results": ["classify", "results", office.classifier],
      "deployments-list": ["deployments", "list", ...inProject],
      "deployments-config": ["deployments", "config", agreements.id],
      "projects-list": ["projects", "list"],
      "files-list": ["files", "list", ...inProject],
      "extractions-get": ["extractions", "get", extraction],
      whoami: ["whoami"],
    };
  });
  afterAll(() => cli?.remove());

  it("is a table in a terminal, and columns separated by tabs in a pipe", async () => {
    for (const [name, argv] of Object.entries(lines)) {
      await expectGolden(`${name}.terminal.txt`, (await ended(cli.run(argv, { terminal: 200 }), 0)).stdout);
      const piped = await ended(cli.run(argv), 0);
      await expectGolden(`${name}.piped.txt`, piped.stdout);
      expect(piped.stderr).toBe("");
    }
  });

  it("is, as JSON, the body of the API's response byte for byte", async () => {
    const paths: Record<string, string> = {
      "classify-list": `/api/v1/classify?projectId=${given.office.projectId}`,
      "classify-get": `/api/v1/classify/${given.office.classifier}`,
      "deployments-config": `/api/v1/deployments/${lines["deployments-config"]?.[2]}/configuration`,
      "files-list": `/api/v1/projects/${given.office.projectId}/files`,
      "extractions-get": `/api/v1/extractions/${extraction}`,
    };
    for (const [name, path] of Object.entries(paths)) {
      const { stdout } = await ended(cli.run([...(lines[name] ?? []), "--output", "json"]), 0);
      expect(stdout).toBe((await given.rest.get(path)).text);
    }
  });

  it("has the six columns of the specification, in their order", async () => {
    const { stdout } = await ended(cli.run(lines["classify-list"] ?? []), 0);
    const [titles, first, second] = stdout.split("\n").map((line) => line.split("\t"));
    expect(titles).toEqual(["id", "name", "scope", "routes", "projects", "classifications"]);
    expect(first?.slice(1)).toEqual(["Inbox triage", "GLOBAL", "2", "Accounts payable, Contracts", "0"]);
    expect(second?.slice(1)).toEqual(["Accounts payable inbox", "PROJECT", "2", "Accounts payable", "2"]);
    const bare = await ended(cli.run([...(lines["classify-list"] ?? []), "--no-header"]), 0);
    expect(bare.stdout).toBe(stdout.slice(stdout.indexOf("\n") + 1));
  });

  it("has the configuration for all three kinds of ID", async () => {
    const { office } = given;
    const getSchema = async (id: string): Promise<string | undefined> =>
      /^schema\t(.*)$/m.exec((await ended(cli.run(["deployments", "config", id]), 0)).stdout)?.[1];
    expect(await getSchema(office.invoices)).toBe(office.secondSchema);
    expect(await getSchema(office.deployment)).toBe(office.firstSchema);
    expect(await getSchema(office.firstSchema)).toBe(office.firstSchema);
  });

  it("has lists page by page, or complete", async () => {
    const argv = ["classify", "results", given.office.classifier, "--limit", "1"];
    const first = await ended(cli.run(argv), 0);
    expect(first.stdout.split("\n")).toHaveLength(3);
    const token = /--page-token (\S+),/.exec(first.stderr)?.[1] ?? "";
    const second = await ended(cli.run([...argv, "--page-token", token]), 0);
    const all = await ended(cli.run([...argv, "--all"]), 0);
    expect(all.stdout).toBe(first.stdout + second.stdout.slice(second.stdout.indexOf("\n") + 1));
    expect(all.stderr).toBe("");
    const bodies = (await ended(cli.run([...argv, "--all", "--output", "json"]), 0)).stdout.trimEnd().split("\n");
    expect(bodies.map((body) => JSON.parse(body).data.length)).toEqual([1, 1]);
  });

  it("has no control characters from names, and aligned columns", async () => {
    const names = ["請求書の分類", "מסמכים", "فواتير (2026)", "🧾👨‍👩‍👧", "e\u0301te\u0301"];
    const { id: projectId } = await getBody(given.rest.post("/api/v1/projects", { name: "Names" }), 201);
    for (const name of names) await getBody(given.rest.post("/api/v1/classify", { projectId, name }), 201);
    const list = ["classify", "list", "--project-id", projectId];
    await expectGolden("names.terminal.txt", (await ended(cli.run(list, { terminal: 200 }), 0)).stdout);
    // The API rejects control characters in names, but the paths of local files may contain them.
    const folder = join(cli.home, "hostile");
    await mkdir(folder);
    for (const name of ["\u001b[31mred\u001b[0m.txt", "two\tcolumns\nand lines\u009b2J.txt", "evil\u202egnp.exe"])
      await writeFile(join(folder, name), `The name of this one is ${JSON.stringify(name)}`);
    const run = ["classify", "run", given.office.classifier, "hostile", "--no-extract", "--again", "--all-files"];
    const onTerminal = await ended(cli.run(run, { terminal: 200 }), 0);
    await expectGolden("hostile-files.terminal.txt", onTerminal.stdout);
    expect(onTerminal.stdout).not.toMatch(controlCharacters);
    expect(onTerminal.stdout).toContain("\\u001b[31mred\\u001b[0m.txt");
    const piped = await ended(cli.run(run), 0);
    expect(piped.stdout).not.toMatch(controlCharacters);
    expect(
      piped.stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t").length),
    ).toEqual([8, 8, 8, 8]);
    const refused = await cli.run(["classify", "get", "\u001b]0;title\u0007"]);
    expect(refused.exitCode).toBe(5);
    expect(refused.stderr).not.toMatch(controlCharacters);
  });

  it("fits 80 columns: IDs are shortened before names, and no line is wider", async () => {
    for (const [name, argv] of Object.entries(lines)) {
      const { stdout, stderr } = await ended(cli.run(argv, { terminal: 80 }), 0);
      const wide = stdout.split("\n").filter((line) => stringWidth(line) > 80);
      expect([name, wide]).toEqual([name, []]);
      if (/[a-z]_…/.test(stdout)) expect(stderr).toContain("A wider terminal");
    }
    const { stdout } = await ended(cli.run(lines["classify-list"] ?? [], { terminal: 80 }), 0);
    await expectGolden("classify-list.narrow.txt", stdout);
    expect(stdout).toMatch(/^clf_…\w{5} {2}Inbox triage /m);
  });
});
