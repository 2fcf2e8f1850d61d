import { sample } from "../journeys/fixture.ts";
import { acceptedInvoice } from "../specification/testing/benchmarks.ts";
import { givenOffice } from "../specification/testing/office.ts";
import { createCliRunner, ended, expectGolden } from "./terminal.ts";
import type { CliRunner } from "./terminal.ts";

describe("benchmark runs on the command line", () => {
  const given = givenOffice();
  let cli: CliRunner;
  beforeAll(async () => {
    cli = await createCliRunner(given.system);
    await acceptedInvoice(given.rest, given.office, "one.pdf", await sample("invoice-harbour-lane.pdf"));
  });
  afterAll(() => cli?.remove());

  const run = (deploymentId: string, ...more: string[]) => {
    const inProject = ["--project-id", given.office.projectId, "--deployment-id", deploymentId];
    return ["benchmarks", "run", ...inProject, "--name", "Nightly", "--no-header", ...more];
  };

  it("are started, followed to their end and shown, in a terminal and piped", async () => {
    const begun = await ended(cli.run(run(given.office.invoices)), 0);
    const [id = "", model, files, status] = begun.stdout.trimEnd().split("\t");
    expect([model, files, status]).toEqual([given.office.invoices, "1", "RUNNING"]);

    const watched = await ended(cli.run(["benchmarks", "watch", id]), 0);
    const events = watched.stdout.trimEnd().split("\n");
    expect([events[0], events.at(-1)]).toEqual(["status\ttotal\tdone\tfailed", "COMPLETED\t1\t1\t0"]);
    const lines = (await ended(cli.run(["benchmarks", "watch", id, "--output", "json"]), 0)).stdout
      .trimEnd()
      .split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ executionId: id, status: "COMPLETED" });
    const onTerminal = await ended(cli.run(["benchmarks", "watch", id], { terminal: 200 }), 0);
    expect(onTerminal.stderr).toContain("[##############################] 1/1");
    // The duration of extraction differs each time.
    const shown = onTerminal.stdout.replace(/(milliseconds per file: +)\d+/, "$1-");
    await expectGolden("benchmarks-watch.terminal.txt", shown);
    const got = await ended(cli.run(["benchmarks", "get", id], { terminal: 200 }), 0);
    expect(got.stdout).toBe(onTerminal.stdout);

    const gate = ["benchmarks", "gate", id, "--rule", "aggregated.totalFiles >= 1"];
    expect((await ended(cli.run([...gate, "--output", "markdown"]), 0)).stdout).toContain("Benchmark gate passed");
    const failed = await ended(cli.run([...gate, "--rule", "aggregated.totalFiles>1", "-o", "junit"]), 9);
    expect(failed.stdout).toContain('tests="3" failures="1"');
    await ended(cli.run(["benchmarks", "gate", id, "--rule", "aggregated.f1 = 1"]), 2);
    const compared = await ended(cli.run(["benchmarks", "compare", id, "--baseline", id, "--output", "json"]), 0);
    const comparison = await given.rest.get(`/api/v1/benchmarks/${id}/compare?baseline=${id}`);
    expect(compared.stdout).toBe(comparison.text);

    const list = ["benchmarks", "list", "--project-id", given.office.projectId];
    await expectGolden("benchmarks-list.piped.txt", (await ended(cli.run(list), 0)).stdout);
    await expectGolden("benchmarks-list.terminal.txt", (await ended(cli.run(list, { terminal: 300 }), 0)).stdout);
    const bodies: [string[], string][] = [
      [list, `/api/v1/projects/${given.office.projectId}/benchmarks`],
      [["benchmarks", "get", id], `/api/v1/benchmarks/${id}`],
      [["benchmarks", "get", id, "--metrics"], `/api/v1/benchmarks/${id}/metrics`],
    ];
    for (const [argv, path] of bodies) {
      const { stdout } = await ended(cli.run([...argv, "--output", "json"]), 0);
      expect(stdout).toBe((await given.rest.get(path)).text);
    }
  });

  it("say which run it is before they wait for its end", async () => {
    const { stdout, stderr } = await ended(cli.run(run(given.office.invoices, "--wait", "--output", "json")), 0);
    expect(stderr).toBe(`The run is ${JSON.parse(stdout).id}.\n`);
  });

  it("require the ID of a model, and accepted files", async () => {
    const { deployment, firstSchema, receipts } = given.office;
    for (const id of [deployment, firstSchema]) {
      const { stderr } = await ended(cli.run(run(id)), 5);
      expect(stderr).toContain("benchmarks and routes take the ID of a model");
    }
    const none = await ended(cli.run(run(receipts, "--wait")), 1);
    expect(none.stderr).toMatch(/\(400 NO_ACCEPTED_FILES\)[^]*hint: .*extractions accept/);
    await ended(cli.run(["benchmarks", "watch", "bmk_nothing"]), 5);
    await ended(cli.run(["benchmarks", "get", "bmk_nothing"]), 5);
  });
});
