import { create, toBinary } from "@bufbuild/protobuf";
import type { Value } from "@bufbuild/protobuf/wkt";
import { ColumnType, ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { decodeTables } from "../../store/tables.ts";
import { createExtractor } from "./extractor.ts";
import type { Extractor, ExtractorOptions } from "./extractor.ts";

let extractor: Extractor;
describe("the extractor", () => {
  afterEach(() => extractor.close());

  function extractorWith(changes: Partial<ExtractorOptions> = {}): Extractor {
    extractor = createExtractor({ threads: 1, timeoutMs: 20_000, memoryMb: 512, maxWaiting: 10, ...changes });
    return extractor;
  }

  const invoice = create(ConfigurationSchema, {
    schemaId: "sch_1",
    version: 1,
    tables: [{ id: "tbl_1", slug: "invoice", name: "Invoice", isPrimary: true }],
    columns: [
      { id: "col_1", tableId: "tbl_1", slug: "invoice_number", name: "Invoice number", type: ColumnType.TEXT },
      { id: "col_2", tableId: "tbl_1", slug: "total", name: "Total", type: ColumnType.NUMBER, index: 1 },
    ],
  });

  function toText(lines: string[]) {
    const text = create(DocumentTextSchema, {
      reader: "test/1",
      pages: [
        {
          number: 1,
          lines: lines.map((text) => ({
            text,
            words: [...text.matchAll(/\S+/g)].map((word) => ({ text: word[0], offset: word.index })),
          })),
        },
      ],
    });
    return toBinary(DocumentTextSchema, text);
  }

  it("extracts documents in another thread, one after the other", async () => {
    extractorWith();
    const results = await Promise.all(
      ["17", "18", "19"].map((number) =>
        extractor.extract(toText(["INVOICE", `Invoice number: INV-2024-00${number}`, `Total: ${number}.50`]), invoice),
      ),
    );
    const values = results.map((result) => {
      const row = "tables" in result ? decodeTables(result.tables)[0]?.rows[0] : undefined;
      return [row?.values["invoice_number"], row?.values["total"]].map(plain);
    });
    expect(values).toEqual([
      ["INV-2024-0017", 17.5],
      ["INV-2024-0018", 18.5],
      ["INV-2024-0019", 19.5],
    ]);
  });

  it("ends an extraction after the timeout, and continues with the next", async () => {
    extractorWith({ timeoutMs: 1 });
    const long = toText(Array.from({ length: 20_000 }, (_, n) => `Invoice number: ${n} Total: ${n}.50`));
    const results = await Promise.all([extractor.extract(long, invoice), extractor.extract(long, invoice)]);
    expect(results).toMatchObject(Array(2).fill({ failure: { code: "EXTRACTION_TIMEOUT" } }));
  });

  it("rejects extractions in progress when it is closed", async () => {
    extractorWith();
    const extraction = extractor.extract(toText(["Total: 1"]), invoice);
    await Promise.all([extractor.close(), expect(extraction).rejects.toThrow("closed")]);
  });

  function plain(value: Value | undefined): unknown {
    return value?.kind.value;
  }
});
