import { create, fromJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ReviewReason } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import {
  ContradictionSchema,
  EvidenceSchema,
  ExtractedTableSchema,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { findReview, minimumConfidence } from "./review.ts";

const column = (slug: string, flags: { required?: boolean; isKey?: boolean; excludedFromExtraction?: boolean }) => ({
  slug,
  name: slug.toUpperCase(),
  tableId: slug.startsWith("line") ? "tbl_2" : "tbl_1",
  ...flags,
});
const configuration: Configuration = create(ConfigurationSchema, {
  tables: [
    { id: "tbl_1", slug: "document", isPrimary: true },
    { id: "tbl_2", slug: "lines" },
  ],
  columns: [
    column("number", { isKey: true }),
    column("total", { required: true }),
    column("note", {}),
    column("secret", { required: true, excludedFromExtraction: true }),
    column("line_amount", { required: true }),
  ],
});

/** Creates a table of one row for each list of cells: a value with its confidence and evidence in the text, or null. */
function table(slug: string, ...rows: Record<string, readonly [string, number] | null>[]): ExtractedTable {
  return create(ExtractedTableSchema, {
    slug,
    rows: rows.map((cells) => ({
      values: Object.fromEntries(
        Object.entries(cells).map(([name, cell]) => [name, fromJson(ValueSchema, cell?.[0] ?? null)]),
      ),
      confidence: Object.fromEntries(
        Object.entries(cells).flatMap(([name, cell]) => (cell === null ? [] : [[name, cell[1]]])),
      ),
      evidence: Object.fromEntries(
        Object.entries(cells).flatMap(([name, cell]) => (cell === null ? [] : [[name, { source: TextSource.TEXT }]])),
      ),
    })),
  });
}

describe("the review of an extraction", () => {
  it("is not needed if all required and key columns have a confident value", () => {
    const sure = table("document", { number: ["1", 0.9], total: ["2", minimumConfidence], note: null });
    expect(findReview([sure, table("lines")], configuration)).toBeNull();
    expect(findReview([], configuration)).toBeNull();
  });

  it("is needed for a required or key column without a value, in any row", () => {
    const noKey = findReview([table("document", { number: null, total: ["2", 0.1] })], configuration);
    expect(noKey).toEqual({
      reason: ReviewReason.MISSING_VALUE,
      message: "No value for NUMBER.",
      confidence: null,
      urgency: 1,
    });
    const lines = table("lines", { line_amount: ["1", 1] }, { line_amount: null });
    expect(findReview([lines], configuration)).toMatchObject({ message: "No value for LINE_AMOUNT." });
    expect(findReview([table("document", {})], configuration)).toMatchObject({
      message: "No value for NUMBER, TOTAL.",
    });
  });

  it("is needed for a required or key column below the threshold, with its lowest confidence", () => {
    const unsure = table("document", { number: ["1", 0.4], total: ["2", 0.25], note: ["x", 0.01] });
    expect(findReview([unsure], configuration)).toEqual({
      reason: ReviewReason.LOW_CONFIDENCE,
      message: "Low confidence in NUMBER, TOTAL.",
      confidence: 0.25,
      urgency: 0.75,
    });
  });

  it("is needed first of all for contradictions, whose confidence is the lowest of their values", () => {
    const unsure = table("document", { number: null, total: ["2", 0.9], note: ["x", 0.7] });
    const contradictions = [
      create(ContradictionSchema, { message: "The total is wrong.", columns: ["document.total", "document.number"] }),
    ];
    expect(findReview([{ ...unsure, contradictions }], configuration)).toEqual({
      reason: ReviewReason.CONTRADICTION,
      message: "The total is wrong.",
      confidence: 0.9,
      urgency: 1,
    });
  });

  it("names at most five columns", () => {
    const columns = Array.from({ length: 8 }, (_, index) => column(`c${index}`, { required: true }));
    const wide = create(ConfigurationSchema, { tables: configuration.tables, columns });
    expect(findReview([table("document", {})], wide)?.message).toBe(
      "No value for C0, C1, C2, C3, C4 and 3 more columns.",
    );
  });

  describe("with thresholds", () => {
    const createSure = () => table("document", { number: ["1", 0.8], total: ["2", 0.9], note: ["x", 0.7] });

    it("is needed for a value that nothing supports, whatever the threshold", () => {
      const sure = createSure();
      const unsupported = table("document", { number: ["1", 0.8], total: ["2", 0.9], note: ["x", 0] });
      expect(findReview([unsupported], configuration, { text: 0, ocr: 0 })?.message).toBe("Low confidence in NOTE.");
      for (const row of sure.rows) delete row.evidence["note"];
      expect(findReview([sure], configuration, { text: 0, ocr: 0 })?.message).toBe("Low confidence in NOTE.");
    });

    it("is needed for a value of any column below the threshold of its source, and for what is missing", () => {
      const sure = createSure();
      expect(findReview([sure], configuration, { text: 0.7, ocr: null })).toBeNull();
      expect(findReview([sure], configuration, { text: 0.75, ocr: null })).toEqual({
        reason: ReviewReason.LOW_CONFIDENCE,
        message: "Low confidence in NOTE.",
        confidence: 0.7,
        urgency: expect.closeTo(0.3, 9),
      });
      const evidence = { note: create(EvidenceSchema, { source: TextSource.OCR }) };
      const photographed = create(ExtractedTableSchema, {
        slug: "document",
        rows: sure.rows.map((row) => ({ ...row, evidence: { ...row.evidence, ...evidence } })),
      });
      expect(findReview([photographed], configuration, { text: 0.75, ocr: 0.7 })).toBeNull();
      expect(findReview([photographed], configuration, { text: 0.1, ocr: null })?.message).toBe(
        "Low confidence in NOTE.",
      );
      const missing = table("document", { number: ["1", 1], total: null });
      expect(findReview([missing], configuration, { text: 0, ocr: 0 })?.message).toBe("No value for TOTAL.");
    });

    it("lets doubtful values go unseen if the threshold does, but nothing if no value may", () => {
      const contradictions = [create(ContradictionSchema, { message: "Wrong.", columns: ["document.total"] })];
      const contrary = { ...table("document", { number: ["1", 0.2], total: ["2", 0.5] }), contradictions };
      expect(findReview([contrary], configuration, { text: 0.1, ocr: null })).toBeNull();
      expect(findReview([contrary], configuration, { text: 0.6, ocr: null })?.message).toBe("Wrong.");
      expect(findReview([contrary], configuration, { text: null, ocr: null })).toEqual(
        findReview([contrary], configuration),
      );
    });
  });
});
