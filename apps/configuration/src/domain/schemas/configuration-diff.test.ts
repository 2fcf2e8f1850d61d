import { create } from "@bufbuild/protobuf";
import {
  ColumnType,
  MatchingKind,
  MatchingSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { ColumnInput } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { columnInput } from "../../testing/column-input.ts";
import { diffContents } from "./configuration-diff.ts";
import { buildContent, emptyContent } from "./schema-content.ts";
import type { Fields, SchemaContent, SchemaInput } from "./schema-content.ts";

type ColumnChange = Partial<Fields<ColumnInput>> & Pick<ColumnInput, "slug">;

let ids = 0;
const newId = (prefix: string) => `${prefix}_${(ids += 1)}`;
const column = (change: ColumnChange) => columnInput({ table: "main", name: change.slug, ...change });
function content(columns: readonly ColumnChange[], change: Partial<SchemaInput> = {}): SchemaContent {
  const tables = ["main", "lines"].map((slug) => ({ slug, name: slug, instructions: "", isPrimary: slug === "main" }));
  const input = { instructions: "", tables, columns: columns.map(column), settings: undefined, ...change };
  return buildContent(input, emptyContent, newId);
}
const slugs = (differences: readonly { table: string; slug: string }[]) =>
  differences.map(({ table, slug }) => `${table}.${slug}`);

describe("diffContents", () => {
  it("finds no difference between contents that differ only in IDs", () => {
    const make = () => content([{ slug: "a", sharedId: "x" }, { slug: "b" }]);
    const nothing = { parts: [], added: [], removed: [], changed: [] };
    expect(diffContents(make(), make())).toEqual(nothing);
    expect(diffContents(emptyContent, emptyContent)).toEqual(nothing);
  });

  it("identifies columns by the slugs of table and column, and keeps the order of the side that has them", () => {
    const from = content([{ slug: "a" }, { slug: "gone" }, { table: "lines", slug: "a" }]);
    const to = content([{ slug: "new" }, { table: "lines", slug: "a" }, { table: "lines", slug: "gone" }]);
    const difference = diffContents(from, to);
    expect(slugs(difference.added)).toEqual(["main.new", "lines.gone"]);
    expect(slugs(difference.removed)).toEqual(["main.a", "main.gone"]);
    expect(difference.changed).toEqual([]);
    expect(difference.parts).toEqual(["columns"]);
    expect(difference.added[0]).toMatchObject({ before: undefined, after: { slug: "new" }, fields: [] });
    expect(difference.removed[0]).toMatchObject({ before: { slug: "a" }, after: undefined, fields: [] });
  });

  it.each<[string, Partial<ColumnChange>]>([
    ["sharedId", { sharedId: "x" }],
    ["excludedFromExtraction", { excludedFromExtraction: true }],
    ["name", { name: "B" }],
    ["type", { type: ColumnType.DATE }],
    ["description", { description: "d" }],
    ["isKey", { isKey: true }],
    ["required", { required: true }],
    ["synonyms", { synonyms: ["s"] }],
    ["enumValues", { enumValues: ["e"] }],
    ["matching", { matching: create(MatchingSchema, { kind: MatchingKind.EDITS, maxEdits: 2 }) }],
  ])("reports the changed field %s of a column", (field, change) => {
    const difference = diffContents(content([{ slug: "a" }]), content([{ slug: "a", ...change }]));
    expect(difference.changed).toMatchObject([{ table: "main", slug: "a", fields: [field], after: change }]);
    expect(difference.parts).toEqual(["columns"]);
  });

  it("reports the part in which only the order of columns changed, and parts other than columns", () => {
    const [a, b] = [{ slug: "a" }, { slug: "b" }];
    expect(diffContents(content([a, b]), content([b, a]))).toEqual({
      parts: ["columns"],
      added: [],
      removed: [],
      changed: [],
    });
    const settings = { useExamples: false };
    const tables = [
      { slug: "main", name: "Main", instructions: "", isPrimary: true },
      { slug: "lines", name: "lines", instructions: "", isPrimary: false },
    ];
    const changed = content([a, b], { instructions: "new", tables, settings });
    expect(diffContents(content([a, b]), changed).parts).toEqual(["instructions", "tables", "extractionSettings"]);
  });
});
