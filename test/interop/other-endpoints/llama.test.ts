import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finishedExtraction } from "../../journeys/fixture.ts";
import { describeWith } from "../../programs.ts";
import { getBody, givenOffice } from "../../specification/testing/office.ts";
import { startServer } from "./server.ts";
import type { StartedServer } from "./server.ts";

const python = {
  variable: "PYTHON_BINARY",
  name: "python3",
  check: ["-c", "import xllamacpp, gguf, numpy"],
};

const documents = [
  "ACME Works Ltd\nInvoice number: INV-1001\nDate: 05.03.2024\nDescription\tAmount\nBolts\t1.25\nNuts\t2.50\nTotal: 3.75",
  "Rechnung Nr. 4711\nDatum: 23.03.2024\nSchrauben „M8“ \\ verzinkt\t1.234,50\nSumme: 1.234,50 €",
  'A "quoted" text with { braces }, [ brackets ] and \\ backslashes\n\t<|im_end|>\nTotal 4711',
];

describeWith(python, "llama.cpp's server with random weights", (path) => {
  const engines = { file: {} as Record<string, unknown> };
  const servers: StartedServer[] = [];
  let folder: string;

  /** Starts a server; returns the address of its endpoint. */
  const start = async (contextTokens: number, answerTokens: number): Promise<string> => {
    const script = join(import.meta.dirname, "llama_server.py");
    const args = [script, join(folder, "random.gguf"), String(contextTokens), String(answerTokens)];
    const server = await startServer(path, args, /Listening on (\S+)/u);
    servers.push(server);
    return `${server.found[1]}/v1`;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-llama-"));
    const common = { protocol: "openai", models: ["random"], timeoutSeconds: 120, parallel: 1 };
    const unlimited = { ...common, baseUrl: await start(16_384, 1_500) };
    const cut = { ...common, baseUrl: await start(16_384, 12) };
    const small = { ...common, baseUrl: await start(1_024, 100) };
    Object.assign(engines.file, {
      grammar: { ...unlimited, structuredOutput: "json_schema" },
      object: { ...unlimited, structuredOutput: "json_object" },
      none: { ...unlimited, structuredOutput: "none" },
      cut: { ...cut, structuredOutput: "json_schema" },
      small: { ...small, structuredOutput: "json_schema" },
    });
  });
  const given = givenOffice("one process", { engines });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.end()));
    await rm(folder, { recursive: true, force: true });
  });

  /** Extracts a text with an engine. */
  const extract = async (engine: string, text: string, temperature: number | null = null): Promise<any> => {
    const { rest, office } = given;
    const own = `/api/v1/deployments/${office.invoices}`;
    await getBody(rest.patch(`${own}/configuration`, { extractionSettings: { engine, temperature } }), 200);
    const uploaded = rest.upload(`/api/v1/projects/${office.projectId}/files`, "document.txt", Buffer.from(text));
    const { id: fileId } = await getBody(uploaded, 201);
    const { id } = await getBody(rest.post(`${own}/extractions`, { fileId }), 201);
    return finishedExtraction(rest, id);
  };

  /** Classifies a text with an engine. */
  const classify = async (engine: string, text: string) => {
    const path = `/api/v1/classify/${given.office.classifier}`;
    await getBody(given.rest.patch(path, { settings: { engine, minConfidence: 0, minMargin: 0 } }), 200);
    return given.rest.post(path, { text, extract: false, explain: true });
  };

  it("answers by the grammar of a schema: values of their types, without evidence and confidence", async () => {
    const rows: any[] = [];
    for (const text of documents) {
      const extraction = await extract("grammar", text);
      expect(extraction).toMatchObject({ status: "COMPLETED", engine: { name: "grammar", modelName: "random" } });
      expect(extraction.usage.inputTokens).toBeGreaterThan(1_000);
      expect(extraction.usage.outputTokens).toBeGreaterThan(50);
      rows.push(...extraction.tables.flatMap((table: any) => table.rows));
    }
    const cells = rows.flatMap(({ values }) => Object.entries<unknown>(values).filter(([, value]) => value !== null));
    expect(cells.length).toBeGreaterThan(0);
    const numbers = new Set(["total", "quantity", "unit_price", "amount"]);
    for (const [slug, value] of cells)
      expect([slug, typeof value]).toEqual([slug, numbers.has(slug) ? "number" : "string"]);
    expect(rows.flatMap(({ evidence }) => Object.keys(evidence))).toEqual([]);
    expect(Math.max(...rows.flatMap(({ confidence }) => Object.values<number>(confidence)))).toBe(0);
  });

  it("is not asked the same again at temperature 0", async () => {
    const first = await extract("grammar", "Total: 777", 0);
    const again = await extract("grammar", "Total: 777", 0);
    expect(first.status).toBe("COMPLETED");
    expect([again.tables, again.usage.outputTokens]).toEqual([first.tables, 0]);
  });

  it("chooses one of the routes or none, without words of the document, and therefore without confidence", async () => {
    for (const text of documents) {
      const { status, body } = await classify("grammar", text);
      expect([status, body.status, body.reason.code, body.confidence]).toEqual([201, "UNCLASSIFIED", "NO_MATCH", 0]);
      expect(body.engine).toMatchObject({ name: "grammar", modelName: "random", learnedFrom: 0 });
    }
  });

  it("has no answer if it may write any JSON, or any text", async () => {
    for (const engine of ["object", "none"]) {
      const extraction = await extract(engine, documents[0] as string);
      expect([extraction.status, extraction.error?.code]).toEqual(["FAILED", "ENGINE_ANSWER_INVALID"]);
      const { status, body } = await classify(engine, documents[0] as string);
      expect([status, body.code]).toEqual([503, "ENGINE_ANSWER_INVALID"]);
    }
  });

  it("has no answer if that is cut off", async () => {
    const extraction = await extract("cut", documents[0] as string);
    expect(extraction).toMatchObject({ status: "FAILED", error: { code: "ENGINE_ANSWER_INVALID" }, tables: [] });
    // Both attempts ended with 12 tokens.
    expect(extraction.usage.outputTokens).toBe(24);
  });

  it("refuses a document that exceeds its context", async () => {
    const extraction = await extract("small", documents[0] as string);
    expect([extraction.status, extraction.error?.code]).toEqual(["FAILED", "ENGINE_REFUSED"]);
  });

  it("is listed as ready, and as unreachable when it has ended", async () => {
    const { data } = await getBody(given.rest.get("/api/v1/engines"), 200);
    expect(new Set(data.map(({ status }: any) => status))).toEqual(new Set(["READY"]));
    await servers[0]?.end();
    const extraction = await extract("grammar", documents[1] as string);
    expect([extraction.status, extraction.error?.code]).toEqual(["FAILED", "ENGINE_UNREACHABLE"]);
  });
});
