import { sample } from "../journeys/fixture.ts";
import { acceptedInvoice } from "../specification/testing/benchmarks.ts";
import { givenOffice } from "../specification/testing/office.ts";
import { createDesk, ended, expectGolden } from "./terminal.ts";
import type { Desk } from "./terminal.ts";

describe("benchmark runs on the command line", () => {
  const given = givenOffice();
  let desk: Desk;
  beforeAll(async () => {
    desk = await createDesk(given.system);
    await acceptedInvoice(given.rest, given.office, "one.pdf", await sample("invoice-harbour-lane.pdf"));
  });
  afterAll(() => desk?.remove());

  const run = (deploymentId: string, ...more: string[]) => {
    const inProject = ["--project-id", given.office.projectId, "--deployment-id", deploymentId];
    return ["benchmarks", "run", ...inProject, "--name", "Nightly", "--no-header", ...more];
  };

  it("are begun, followed to their end and shown, on a terminal and in a pipe", async () => {
    const begun = await ended(desk.run(run(given.office.invoices)), 0);
    const [id = "", model, files, status] = begun.stdout.trimEnd().split("\t");
    expect([model, files, status]).toEqual([given.office.invoices, "1", "RUNNING"]);

    const watched = await ended(desk.run(["benchmarks", "watch", id]), 0);
    const events = watched.stdout.trimEnd().split("\n");
    expect([events[0], events.at(-1)]).toEqual(["status\ttotal\tdone\tfailed", "COMPLETED\t1\t1\t0"]);
    const lines = (await ended(desk.run(["benchmarks", "watch", id, "--output", "json"]), 0)).stdout
      .trimEnd()
      .split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ executionId: id, status: "COMPLETED" });
    const onTerminal = await ended(desk.run(["benchmarks", "watch", id], { terminal: 200 }), 0);
    expect(onTerminal.stderr).toContain("[##############################] 1/1");
    // The duration of extraction differs each time.
    const shown = onTerminal.stdout.replace(/(milliseconds a file: +)\d+/, "$1-");
    await expectGolden("benchmarks-watch.terminal.txt", shown);
    const got = await ended(desk.run(["benchmarks", "get", id], { terminal: 200 }), 0);
    expect(got.stdout).toBe(onTerminal.stdout);

    const list = ["benchmarks", "list", "--project-id", given.office.projectId];
    await expectGolden("benchmarks-list.piped.txt", (await ended(desk.run(list), 0)).stdout);
    await expectGolden("benchmarks-list.terminal.txt", (await ended(desk.run(list, { terminal: 300 }), 0)).stdout);
    const bodies: [string[], string][] = [
      [list, `/api/v1/projects/${given.office.projectId}/benchmarks`],
      [["benchmarks", "get", id], `/api/v1/benchmarks/${id}`],
      [["benchmarks", "get", id, "--metrics"], `/api/v1/benchmarks/${id}/metrics`],
    ];
    for (const [argv, path] of bodies) {
      const { stdout } = await ended(desk.run([...argv, "--output", "json"]), 0);
      expect(stdout).toBe((await given.rest.get(path)).text);
    }
  });

  it("take a model's own id alone, and accepted files", async () => {
    const { deployment, firstSchema, receipts } = given.office;
    for (const id of [deployment, firstSchema]) {
      const { stderr } = await ended(desk.run(run(id)), 5);
      expect(stderr).toContain("benchmarks and routes take a model's own id");
    }
    const none = await ended(desk.run(run(receipts, "--wait")), 1);
    expect(none.stderr).toMatch(/\(400 NO_ACCEPTED_FILES\)[^]*try: .*extractions accept/);
    await ended(desk.run(["benchmarks", "watch", "bmk_nothing"]), 5);
    await ended(desk.run(["benchmarks", "get", "bmk_nothing"]), 5);
  });
});
