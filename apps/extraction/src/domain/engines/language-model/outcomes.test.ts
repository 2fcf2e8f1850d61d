import { create } from "@bufbuild/protobuf";
import { MatchingKind } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { ExtractedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createConfiguration } from "../../../testing/documents.ts";
import { toMessage } from "./answer/typed-values.ts";
import { findOutcomes } from "./outcomes.ts";

const configuration = createConfiguration({
  document: [["number", "Number"]],
  items: [
    ["article", "Article"],
    ["price", "Price", "NUMBER", { matching: { kind: MatchingKind.NUMERIC, absoluteTolerance: 1 } }],
    ["note", "Note", "TEXT", { matching: { kind: MatchingKind.EDITS, maxEdits: 1 } }],
  ],
});

type Rows = readonly Readonly<Record<string, string | number>>[];

function toTables(extracted: Rows, accepted: Rows) {
  const toRows = (rows: Rows) =>
    rows.map((row) => ({
      values: Object.fromEntries(Object.entries(row).map(([slug, value]) => [slug, toMessage(value)])),
    }));
  return [
    [create(ExtractedTableSchema, { slug: "items", rows: toRows(extracted) })],
    [create(AcceptedTableSchema, { slug: "items", rows: toRows(accepted) })],
  ] as const;
}

function compare(extracted: Rows, accepted: Rows): string[] {
  const outcomes = findOutcomes(...toTables(extracted, accepted), configuration);
  return outcomes.map(({ column, right }) => `${column} ${right ? "right" : "wrong"}`);
}

describe("the outcomes of an extraction", () => {
  it("are right for values that some row has, each of which counts once", () => {
    expect(compare([{ article: "Bolt" }, { article: "NUT" }, { article: "Bolt" }], [{ article: "Nut" }])).toEqual([
      "items.article wrong",
      "items.article right",
      "items.article wrong",
    ]);
    expect(compare([{ article: "Bolt" }, { article: "Bolt" }], [{ article: "bolt" }, { article: "Bolt." }])).toEqual([
      "items.article right",
      "items.article right",
    ]);
  });

  it("depend on the matching of the column", () => {
    expect(compare([{ price: 12.5 }, { price: 10 }, { price: 9.5 }], [{ price: 10 }, { price: 12 }])).toEqual([
      "items.price right",
      "items.price right",
      "items.price wrong",
    ]);
    expect(compare([{ note: "late" }, { note: "later" }], [{ note: "lane" }, { note: "other" }])).toEqual([
      "items.note right",
      "items.note wrong",
    ]);
  });

  it("are found for thousands of rows, which are not compared with all others", () => {
    const rows = Array.from({ length: 6_000 }, (_, index) => ({ article: `Article ${index}` }));
    const tables = toTables(rows, [...rows].reverse());
    const before = process.cpuUsage();
    expect(findOutcomes(...tables, configuration).filter(({ right }) => right)).toHaveLength(6_000);
    // In microseconds. It takes a tenth of a second, and took half a minute.
    expect(process.cpuUsage(before).user).toBeLessThan(8_000_000);
  });
});
