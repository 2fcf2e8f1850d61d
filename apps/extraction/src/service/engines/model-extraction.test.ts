import { toBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema, TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { openEngines } from "@switchyard/engines";
import type { Engines } from "@switchyard/engines";
import { engineDefinition, startEndpoint } from "@switchyard/engines/testing";
import type { TestEndpoint } from "@switchyard/engines/testing";
import { decodeTables } from "../../store/tables.ts";
import type { FileRecord } from "../../store/files.ts";
import { createConfiguration, plainDocument, plainRows } from "../../testing/documents.ts";
import { createExtractor } from "../extractions/extractor.ts";
import type { Extractor } from "../extractions/extractor.ts";
import { createModelExtraction } from "./model-extraction.ts";

const configuration = createConfiguration({
  document: [["total", "Total", "NUMBER"]],
  items: [["amount", "Amount", "NUMBER"]],
});
configuration.extractionSettings = {
  $typeName: "switchyard.configuration.v1.ExtractionSettings",
  engine: "test",
  temperature: 0,
  useExamples: true,
  numberOfExamples: 0,
};
const file = { _id: "fil_1", organizationId: "org_1", sha256: "a" } as FileRecord;

/** A document that needs several questions. */
const long = plainDocument(Array.from({ length: 4_000 }, (_, line) => `Line ${line} of the statement`).join("\n"));

describe("the extraction by a language model", () => {
  let endpoint: TestEndpoint;
  let engines: Engines;
  let extractor: Extractor;
  const drawn: number[] = [];

  beforeAll(async () => {
    endpoint = await startEndpoint({
      answer: () => ({ document: { total: { value: 12.5, quote: "12.50", line: 1 } }, items: [] }),
    });
    const definition = engineDefinition(endpoint.baseUrl, { images: true, inputPrice: 1, outputPrice: 1 });
    engines = openEngines({ definitions: [definition] });
    extractor = createExtractor({ threads: 1, timeoutMs: 20_000, memoryMb: 512, maxWaiting: 10 });
  });
  afterEach(() => endpoint.behave(undefined));
  afterAll(() => Promise.all([engines.close(), extractor.close(), endpoint.close()]));

  function extract(text: DocumentText, signal = new AbortController().signal, timeoutMs = 60_000) {
    const extraction = createModelExtraction({
      engines,
      extractor,
      teaching: {
        find: () => Promise.resolve({ knowledge: null, version: "extraction-1", learnedFrom: 0, leftOut: [] }),
      },
      getPageImage: (_, { number }) => {
        drawn.push(number);
        return Promise.resolve(new Uint8Array([137, 80, 78, 71]));
      },
      timeoutMs,
    });
    const subject = { file, configuration, model: null, crossFitted: false };
    return extraction(subject, toBinary(DocumentTextSchema, text), signal);
  }

  it("sends pictures of the pages whose text is poor, and gives values a place in the text", async () => {
    const text = plainDocument(["Total 12.50", "\f", "Other 1.00", "\f", "Clean 3.00"].join("\n"));
    const [first, second, third] = text.pages;
    if (!first || !second || !third) throw new Error("The document has three pages.");
    for (const page of [first, second, third]) page.source = TextSource.OCR;
    [first.confidence, second.confidence, third.confidence] = [0.95, 0.88, 0.99];
    const { result } = await extract(text);
    expect(drawn).toEqual([2]);
    expect(endpoint.questions.at(-1)?.pictures).toHaveLength(1);
    const tables = "outcome" in result && "tables" in result.outcome ? decodeTables(result.outcome.tables) : [];
    expect(plainRows(tables[0])).toEqual([{ total: 12.5 }]);
    expect(tables[0]?.rows[0]?.evidence["total"]).toMatchObject({ page: 1, quote: "12.50", source: TextSource.OCR });
  });

  it("asks about a long document in parts, and adds what they used", async () => {
    const before = endpoint.questions.length;
    const { result } = await extract(long);
    const asked = endpoint.questions.slice(before);
    expect(asked.length).toBeGreaterThan(3);
    const usage = "outcome" in result ? result.outcome.usage : undefined;
    expect(usage?.inputTokens).toBeGreaterThan(1_000);
    expect(usage?.cost).toBeCloseTo(((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)) / 1e6, 9);
  });

  it("ends the questions about the other parts when one fails, and keeps what was used", async () => {
    const other = plainDocument(Array.from({ length: 4_000 }, (_, line) => `Row ${line} of the list`).join("\n"));
    const before = endpoint.questions.length;
    endpoint.behave(({ index }) => (index === before + 2 ? { kind: "refusal" } : undefined));
    const { result } = await extract(other);
    expect(result).toMatchObject({ outcome: { error: { code: "ENGINE_REFUSED" } } });
    expect("outcome" in result && result.outcome.usage?.inputTokens).toBeGreaterThan(0);
    expect(endpoint.questions.length - before).toBeLessThanOrEqual(4);
  });

  it("fails in time if the engine hangs, and cancels the request at the endpoint when nobody waits any more", async () => {
    endpoint.behave(() => ({ kind: "hang" }));
    const { result } = await extract(plainDocument("Total 1.00"), undefined, 300);
    expect(result).toMatchObject({ outcome: { error: { code: "ENGINE_TIMEOUT" } } });
    await expect.poll(() => endpoint.counts.active).toBe(0);
    const abandoned = endpoint.counts.abandoned;
    const cancelling = new AbortController();
    const waiting = extract(plainDocument("Total 2.00"), cancelling.signal);
    await expect.poll(() => endpoint.counts.active).toBe(1);
    cancelling.abort(new Error("nobody waits"));
    await expect(waiting).rejects.toThrow("nobody waits");
    await expect.poll(() => endpoint.counts.active).toBe(0);
    expect(endpoint.counts.abandoned).toBe(abandoned + 1);
  });
});
