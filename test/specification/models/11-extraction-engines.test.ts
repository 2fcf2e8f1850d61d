import { createRandom, inventAnswer, startEndpoint } from "@switchyard/engines/testing";
import type { ReceivedQuestion } from "@switchyard/engines/testing";
import { Writable } from "node:stream";
import { finishedExtraction } from "../../journeys/fixture.ts";
import { finishedExecution } from "../testing/benchmarks.ts";
import { getBody, givenOffice } from "../testing/office.ts";
import { createStoredState } from "../testing/stored.ts";

/** The key of the endpoint. It must appear nowhere. */
const key = "sk-marker-4711-extraction";

/** An invoice, and what is printed in it. */
function invoice(number: number): string {
  return [
    `ACME Works ${number} Ltd`,
    `Invoice number: INV-${1000 + number}`,
    `Date: ${String(1 + (number % 28)).padStart(2, "0")}.03.2024`,
    "Item\tAmount",
    `Bolts of kind ${number}\t${number}.25`,
    `Nuts of kind ${number}\t${number + 1}.50`,
    `Total: ${2 * number + 1}.75`,
  ].join("\n");
}

const accepted = (number: number) => ({
  number: `INV-${1000 + number}`,
  issued: `2024-03-${String(1 + (number % 28)).padStart(2, "0")}`,
  total: 2 * number + 1.75,
});
const acceptedItems = (number: number) => [
  { item: `Bolts of kind ${number}`, amount: number + 0.25 },
  { item: `Nuts of kind ${number}`, amount: number + 1.5 },
];

/** Answers from what is accepted. The document comes after the examples. */
function answerPerfectly({ content }: ReceivedQuestion): unknown {
  const document = content.slice(content.lastIndexOf("== document"));
  const number = Number(/INV-(\d+)/u.exec(document)?.[1]) - 1000;
  const cell = (value: unknown, quote: string) => ({ value, quote, line: null });
  const { number: code, issued, total } = accepted(number);
  return {
    invoice: {
      number: cell(code, code),
      issued: cell(issued, `${issued.slice(8)}.03.2024`),
      total: cell(total, total.toFixed(2)),
    },
    items: acceptedItems(number).map(({ item, amount }) => ({
      item: cell(item, item),
      amount: cell(amount, amount.toFixed(2)),
    })),
    others: "which the schema does not have",
  };
}

const random = createRandom(22);
let answer: (question: ReceivedQuestion) => unknown = answerPerfectly;
const endpoint = await startEndpoint({ answer: (question) => answer(question), key });

const logged: string[] = [];
const log = new Writable({
  write(chunk, _, done) {
    logged.push(String(chunk));
    done();
  },
});
const fileCount = 21;

describe("11 an extraction model whose engine is a language model", () => {
  const engine = {
    protocol: "openai",
    baseUrl: endpoint.baseUrl,
    apiKeyEnv: "OFFICE_KEY",
    models: ["test-model"],
    structuredOutput: "json_schema",
    // No test waits for it, and all services and other tests share the machine.
    timeoutSeconds: 60,
    inputPrice: 1,
    outputPrice: 2,
  };
  const given = givenOffice("one process", {
    engines: { file: { office: engine }, variables: { OFFICE_KEY: key } },
    log,
  });
  afterEach(() => void (answer = answerPerfectly));
  afterAll(() => endpoint.close());
  let model: string;
  let files: string[];
  const seen: string[] = [];
  let perfectRun: string;

  const upload = async (number: number): Promise<string> => {
    const path = `/api/v1/projects/${given.office.projectId}/files`;
    return (await getBody(given.rest.upload(path, `from-a-stranger-${number}.txt`, Buffer.from(invoice(number))), 201))
      .id;
  };
  const extract = async (fileId: string): Promise<any> => {
    const { id } = await getBody(given.rest.post(`/api/v1/deployments/${model}/extractions`, { fileId }), 201);
    const extraction = await finishedExtraction(given.rest, id);
    seen.push(JSON.stringify(extraction));
    return extraction;
  };
  const configure = (extractionSettings: unknown) =>
    getBody(given.rest.patch(`/api/v1/deployments/${model}/configuration`, { extractionSettings }), 200);
  const run = async (): Promise<{ execution: any; metrics: any; files: any[] }> => {
    const body = { deploymentId: model, name: "Engine" };
    const { executionId } = await getBody(
      given.rest.post(`/api/v1/projects/${given.office.projectId}/benchmarks`, body),
      201,
    );
    const execution = await finishedExecution(given.rest, executionId);
    const path = `/api/v1/benchmarks/${executionId}`;
    const metrics = await getBody(given.rest.get(`${path}/metrics`), 200);
    const { data } = await getBody(given.rest.get(`${path}/files?limit=100`), 200);
    seen.push(JSON.stringify([execution, metrics, data]));
    return { execution, metrics, files: data };
  };
  const settings = { engine: "office", useExamples: true, numberOfExamples: 2, temperature: null as number | null };

  beforeAll(async () => {
    const body = {
      name: "Invoices by a language model",
      instructions: "Invoices of suppliers.",
      tables: [
        { slug: "invoice", isPrimary: true },
        { slug: "items", isPrimary: false },
      ],
      columns: [
        { table: "invoice", slug: "number", name: "Invoice number", required: true },
        { table: "invoice", slug: "issued", name: "Date", type: "DATE" },
        { table: "invoice", slug: "total", name: "Total", type: "NUMBER", required: true },
        { table: "items", slug: "item", name: "Item" },
        { table: "items", slug: "amount", name: "Amount", type: "NUMBER" },
      ],
      extractionSettings: { ...settings, temperature: 0 },
    };
    model = (await getBody(given.rest.post(`/api/v1/projects/${given.office.projectId}/deployments`, body), 201)).id;
    files = await Promise.all(Array.from({ length: fileCount }, (_, number) => upload(number)));
    for (const [number, fileId] of files.entries()) {
      const tables = [
        { slug: "invoice", rows: [{ values: accepted(number) }] },
        { slug: "items", rows: acceptedItems(number).map((values) => ({ values })) },
      ];
      const options = {
        method: "PUT",
        body: JSON.stringify({ deploymentId: model, tables }),
        headers: { "content-type": "application/json" },
      };
      await getBody(given.rest.send(`/api/v1/files/${fileId}/accepted-values`, options), 200);
    }
  });

  it("gives the values of the answer the places at which the document prints them, and says what they cost", async () => {
    const before = endpoint.questions.length;
    const next = await upload(40);
    const extraction = await extract(next);
    expect(extraction).toMatchObject({
      status: "COMPLETED",
      engine: {
        name: "office",
        version: expect.stringMatching(/^extraction-\d+\+[0-9a-f]{12}$/),
        modelName: "test-model",
        learnedFrom: fileCount,
      },
    });
    const { inputTokens, outputTokens, cost } = extraction.usage;
    expect(cost).toBeCloseTo((inputTokens + 2 * outputTokens) / 1e6, 9);
    const [invoiceTable, items] = extraction.tables;
    expect(invoiceTable.rows[0].values).toEqual(accepted(40));
    expect(invoiceTable.rows[0].confidence).toEqual({ number: 0.5, issued: 0.5, total: 0.5 });
    expect(invoiceTable.rows[0].evidence.total).toMatchObject({ page: 1, quote: "81.75", source: "TEXT" });
    expect(items.rows.map(({ values }: any) => values)).toEqual(acceptedItems(40));

    const [question, ...others] = endpoint.questions.slice(before);
    expect(others).toEqual([]);
    expect(question?.temperature).toBe(0);
    expect(question?.content.match(/^== example \d ==$/gmu)).toEqual(["== example 1 ==", "== example 2 =="]);
    expect(question?.instructions).toContain("Invoices of suppliers.");
    expect(question?.instructions).not.toContain("INV-1040");
    expect(JSON.stringify(question)).not.toContain("from-a-stranger");

    const again = await extract(next);
    expect(again.tables).toEqual(extraction.tables);
    expect([again.usage, endpoint.questions.length]).toEqual([
      { inputTokens: 0, outputTokens: 0, cost: 0 },
      before + 1,
    ]);
  });

  it("scores 100 % in a benchmark if its endpoint answers what is accepted, and no file is its own example", async () => {
    const before = endpoint.questions.length;
    const { execution, metrics, files: results } = await run();
    perfectRun = execution.id;
    expect(results.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(execution).toMatchObject({
      status: "COMPLETED",
      engine: { name: "office", modelName: "test-model", crossFitted: true },
      progress: { total: fileCount, failed: 0 },
    });
    expect(metrics.aggregated).toMatchObject({ successRate: 1, exactFileRate: 1, precision: 1, recall: 1 });
    expect(execution.usage.inputTokens).toBe(results.reduce((sum, { usage }) => sum + usage.inputTokens, 0));
    const asked = endpoint.questions.slice(before);
    expect(asked).toHaveLength(fileCount);
    for (const { content } of asked) {
      const number = /INV-\d+/u.exec(content.slice(content.lastIndexOf("== document")))?.[0] ?? "";
      expect(content.indexOf(number)).toBeGreaterThan(content.lastIndexOf("== document"));
    }
  });

  it("scores near 0 if its endpoint answers with random JSON, and none of its values has evidence or confidence", async () => {
    await configure(settings);
    answer = ({ schema }) => inventAnswer(schema, random);
    const { execution, metrics } = await run();
    expect(execution).toMatchObject({ status: "COMPLETED", engine: { name: "office" } });
    expect(metrics.aggregated.successRate).toBeLessThan(0.05);
    const compare = `/api/v1/benchmarks/${execution.id}/compare?baseline=${perfectRun}`;
    const comparison = await getBody(given.rest.get(compare), 200);
    expect(comparison.engines).toMatchObject({
      baseline: { name: "office", modelName: "test-model" },
      candidate: { name: "office", modelName: "test-model" },
    });
    expect(comparison.aggregated.successRate).toMatchObject({ baseline: 1, candidate: metrics.aggregated.successRate });
    const extraction = await extract(files[0] as string);
    const rows = extraction.tables.flatMap((table: any) => table.rows);
    expect(rows.flatMap((row: any) => Object.keys(row.evidence))).toEqual([]);
    expect(Math.max(...rows.flatMap((row: any) => Object.values(row.confidence)))).toBe(0);
  });

  it("calibrates the confidence of values on accepted files that it extracted", async () => {
    for (const fileId of files) await extract(fileId);
    const extraction = await extract(await upload(41));
    const [confidence] = extraction.tables[0].rows.map((row: any) => Object.values(row.confidence));
    expect(Math.min(...confidence)).toBeGreaterThan(0.9);
  });

  it("fails with the code of the engine, keeps its usage, and no other engine steps in", async () => {
    const failures: [string, Parameters<typeof endpoint.behave>[0]][] = [
      ["ENGINE_REFUSED", () => ({ kind: "status", status: 400, body: `The key ${key} may not do that.` })],
      ["ENGINE_REFUSED", () => ({ kind: "refusal" })],
      ["ENGINE_ANSWER_INVALID", () => ({ kind: "text", text: "I am sorry, there is no invoice." })],
      ["ENGINE_ANSWER_INVALID", () => ({ kind: "text", text: '{"another": "form"}' })],
      ["ENGINE_UNREACHABLE", () => ({ kind: "status", status: 429, retryAfter: "3600" })],
    ];
    for (const [code, behavior] of failures) {
      endpoint.behave(behavior);
      const extraction = await extract(files[1] as string);
      expect([extraction.status, extraction.error?.code, extraction.tables]).toEqual(["FAILED", code, []]);
      if (code === "ENGINE_ANSWER_INVALID") expect(extraction.usage.inputTokens).toBeGreaterThan(0);
    }
    const { execution, files: results } = await run();
    expect([execution.status, execution.error.code]).toEqual(["FAILED", "NO_FILE_SCORED"]);
    expect(new Set(results.map(({ error }) => error.code))).toEqual(new Set(["ENGINE_UNREACHABLE"]));
  });

  it("keeps its key to itself", async () => {
    const stored = await createStoredState(given.system.uri);
    const everything = [...logged, ...seen, ...(await stored.documents()).values()];
    await stored.close();
    expect(everything.join("").length).toBeGreaterThan(10_000);
    expect(everything.filter((text) => text.includes(key))).toEqual([]);
  });
});
