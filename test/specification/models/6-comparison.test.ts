import { sample } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import { acceptedInvoice, finishedExecution } from "../testing/benchmarks.ts";
import { getBody, givenOffice, refusal } from "../testing/office.ts";

/** Section 6: runs of two versions are compared, and gated. */
describe("6 the comparison of benchmark executions", () => {
  const given = givenOffice();
  let files: string[];
  /** Runs of the first and of the second version of the configuration, and one over a file of other accepted values. */
  let first: string;
  let second: string;
  let later: string;

  const compare = (id: string, query: string) => given.rest.get(`/api/v1/benchmarks/${id}/compare${query}`);
  const gate = (id: string, body: unknown) => given.rest.post(`/api/v1/benchmarks/${id}:gate`, body);
  const setNumber = (fileId: string, number: string) => {
    const { rest, office } = given;
    const tables = [{ slug: "invoice", rows: [{ values: { invoice_number: number } }] }];
    const body = JSON.stringify({ deploymentId: office.invoices, tables });
    const headers = { "content-type": "application/json" };
    return getBody(rest.send(`/api/v1/files/${fileId}/accepted-values`, { method: "PUT", headers, body }), 200);
  };
  async function run(body: object): Promise<string> {
    const { rest, office } = given;
    const path = `/api/v1/projects/${office.projectId}/benchmarks`;
    const { executionId } = await getBody(
      rest.post(path, { deploymentId: office.invoices, name: "Run", ...body }),
      201,
    );
    expect((await finishedExecution(rest, executionId)).status).toBe("COMPLETED");
    return executionId;
  }

  beforeAll(async () => {
    files = [];
    for (const name of ["invoice-harbour-lane.pdf", "invoice-brightwater.pdf"])
      files.push(await acceptedInvoice(given.rest, given.office, name, await sample(name)));
    first = await run({ extractionSchemaId: given.office.firstSchema });
    second = await run({});
    await setNumber(files[1] ?? "", "Something else");
    later = await run({});
  });

  it("has the metrics of both runs, their differences, and what differs in configuration and engine", async () => {
    const body = await getBody(compare(second, `?baseline=${first}`), 200);
    expect(body).toEqual({
      baseline: first,
      candidate: second,
      filesCompared: 2,
      filesNeeded: expect.any(Number),
      enoughFiles: false,
      aggregated: expect.any(Object),
      byColumn: expect.any(Array),
      newlyFailing: [],
      newlyPassing: [],
      newlyFailingCount: 0,
      newlyPassingCount: 0,
      stillWrong: 0,
      configuration: {
        parts: ["columns"],
        added: [expect.objectContaining({ slug: "iban" })],
        removed: [],
        changed: [],
      },
      engines: {
        baseline: expect.objectContaining({ name: "local" }),
        candidate: expect.objectContaining({ name: "local" }),
      },
    });
    expect(Object.keys(body.aggregated)).toEqual(["successRate", "precision", "recall", "f1", "anls", "exactFileRate"]);
    expect(body.aggregated.successRate).toEqual({
      ...{ baseline: 1, candidate: 1, delta: 0, ci95: { low: expect.any(Number), high: expect.any(Number) } },
      ...{ pValue: 1, verdict: "INCONCLUSIVE", filesNeeded: expect.any(Number) },
    });
    const [column] = body.byColumn;
    expect(Object.keys(column)).toEqual(["columnId", "table", "slug", "sharedId", "successRate", "f1"]);
    expect(body.byColumn.map(({ slug }: any) => slug)).not.toContain("iban");
    expect(await getBody(compare(second, `?baseline=${first}`), 200)).toEqual(body);
    const same = await getBody(compare(second, `?baseline=${second}&margin=0`), 200);
    expect(same.aggregated.f1).toMatchObject({ verdict: "EQUIVALENT", ci95: { low: 0, high: 0 }, filesNeeded: null });
  });

  it("compares only the files with the same accepted values", async () => {
    const { filesCompared } = await getBody(compare(later, `?baseline=${second}`), 200);
    expect(filesCompared).toBe(1);
    const other = await run({ fileIds: [files[1]] });
    expect(await refusal(compare(other, `?baseline=${second}`))).toBe("400 NOTHING_TO_COMPARE baseline");
  });

  it("requires a baseline of the same model, and a margin from 0 to 1", async () => {
    const { rest, office } = given;
    expect(await refusal(compare("bmk_none", `?baseline=${first}`))).toBe("404 EXECUTION_NOT_FOUND executionId");
    expect(await refusal(compare(second, ""))).toBe("400 INVALID_REQUEST baseline");
    expect(await refusal(compare(second, `?baseline=${first}&margin=1.5`))).toBe("400 INVALID_REQUEST margin");
    expect(await refusal(compare(second, "?baseline=bmk_none"))).toBe("404 EXECUTION_NOT_FOUND baseline");
    const upload = rest.upload(`/api/v1/projects/${office.projectId}/files`, "till.txt", Buffer.from("Total 12.50"));
    const { id } = await getBody(upload, 201);
    const line = JSON.stringify({ fileId: id, deploymentId: office.receipts, values: { total: 12.5 } });
    const imported = `/api/v1/projects/${office.projectId}/accepted-values:import`;
    await getBody(rest.upload(imported, "accepted.jsonl", Buffer.from(line)), 200);
    const receipts = await run({ deploymentId: office.receipts });
    expect(await refusal(compare(second, `?baseline=${receipts}`))).toBe("400 INVALID_REQUEST baseline");
    const outsider = createRest(given.system.url, await given.system.anotherOrganization("Outsider"));
    const path = `/api/v1/benchmarks/${second}`;
    expect(await refusal(outsider.get(`${path}/compare?baseline=${first}`))).toBe(
      "404 EXECUTION_NOT_FOUND executionId",
    );
    expect(await refusal(outsider.post(`${path}:gate`, { rules: [] }))).toBe("404 EXECUTION_NOT_FOUND executionId");
  });

  it("is gated by rules, each with its figure", async () => {
    const rule = (metric: string, operator: string, value: number) => ({ metric, operator, value });
    const rules = [
      rule("aggregated.successRate", ">=", 0.9),
      rule("byColumn.total.f1", ">", 0.99),
      rule("byTable.invoice.outcomes.wrong", "<", 1),
      rule("compare.successRate.delta", ">=", -0.01),
      rule("compare.byColumn.invoice.total.successRate.delta", "<=", 0),
      rule("compare.newlyFailingCount", "<=", 0),
    ];
    const passed = await getBody(gate(second, { baseline: first, rules }), 200);
    expect(passed).toEqual({
      passed: true,
      rules: rules.map((given) => ({ ...given, actual: expect.any(Number), passed: true })),
      status: "COMPLETED",
    });
    // A column without a figure, and one that the baseline does not score.
    const failing = [rule("aggregated.totalFiles", ">", 2), rule("compare.byColumn.iban.f1.delta", ">=", -1)];
    expect(await getBody(gate(second, { baseline: first, rules: failing }), 200)).toEqual({
      passed: false,
      rules: failing.map((given, index) => ({ ...given, actual: index === 0 ? 2 : null, passed: false })),
      status: "COMPLETED",
    });
  });

  it("refuses rules about metrics that do not exist, and about a comparison without a baseline", async () => {
    const rule = { metric: "aggregated.f1", operator: ">=", value: 0 };
    for (const metric of [
      "f1",
      "aggregated",
      "aggregated.enoughFiles",
      "byColumn.nothing.f1",
      "compare.f2.delta",
      "compare.baseline",
    ])
      expect(await refusal(gate(second, { baseline: first, rules: [rule, { ...rule, metric }] }))).toBe(
        "400 INVALID_REQUEST rules[1].metric",
      );
    const { errors } = await getBody(gate(second, { rules: [{ ...rule, metric: "agregated.f1" }] }), 400);
    expect(errors).toEqual([{ field: "rules[0].metric", message: '"agregated.f1" is no metric' }]);
    const refused = (change: object) => refusal(gate(second, { rules: [{ ...rule, ...change }] }));
    expect(await refused({ operator: "=" })).toBe("400 INVALID_REQUEST rules[0].operator");
    expect(await refused({ value: undefined })).toBe("400 INVALID_REQUEST rules[0].value");
    expect(await refused({ metric: "compare.f1.delta" })).toBe("400 INVALID_REQUEST baseline");
    expect(await refusal(gate(second, { rules: [] }))).toBe("400 INVALID_REQUEST rules");
    expect(await refusal(gate(second, { rules: Array.from({ length: 101 }, () => rule) }))).toBe(
      "400 INVALID_REQUEST rules",
    );
    expect(await refusal(gate(second, { rules: [rule], baseline: "bmk_none" }))).toBe(
      "404 EXECUTION_NOT_FOUND baseline",
    );
  });
});
