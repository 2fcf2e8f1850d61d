import type { Column, Configuration } from "@switchyard/client";
import { compareDrafts, listChanges } from "./changes.ts";
import { findProblems, nameField } from "./draft-problems.ts";
import { emptyColumn, moveColumn, removeColumn, setColumn, setTable, toDraft, toRequest } from "./draft.ts";

const column = (slug: string, tableId: string, index: number, changed: Partial<Column> = {}): Column => ({
  ...emptyColumn,
  id: `col_${slug}`,
  tableId,
  index,
  slug,
  name: slug.toUpperCase(),
  ...changed,
});

const configuration: Configuration = {
  deployment: null,
  extractionSchemaId: "sch",
  version: 1,
  instructions: "",
  tables: [
    { id: "t1", slug: "invoice", name: "Invoice", instructions: "", isPrimary: true },
    { id: "t2", slug: "items", name: "Items", instructions: "", isPrimary: false },
  ],
  columns: [column("number", "t1", 0), column("amount", "t2", 0, { type: "NUMBER" }), column("total", "t1", 1)],
  extractionSettings: null,
  updatedAt: null,
};

describe("a draft of a schema", () => {
  const draft = toDraft(configuration);

  it("becomes a request with the same tables and columns", () => {
    const { tables, columns } = toRequest(draft);
    expect(tables.map(({ slug, isPrimary }) => `${slug} ${isPrimary}`)).toEqual(["invoice true", "items false"]);
    expect(columns.map(({ table, slug, type }) => `${table}.${slug} ${type}`)).toEqual([
      "invoice.number TEXT",
      "invoice.total TEXT",
      "items.amount NUMBER",
    ]);
    const added = setColumn(draft, 1, 1, { ...emptyColumn, slug: "unit" });
    expect(toRequest(added).columns.at(-1)).toMatchObject({ table: "items", slug: "unit", name: "unit" });
    expect(compareDrafts(draft, toDraft(configuration))).toEqual({ parts: [], added: [], removed: [], changed: [] });
  });

  it("says how it differs", () => {
    const total = { ...emptyColumn, slug: "total", name: "TOTAL" };
    let changed = setColumn(draft, 0, 1, {
      ...total,
      type: "NUMBER",
      synonyms: ["Total due", "Sum"],
      required: true,
      matching: { kind: "NUMERIC", absoluteTolerance: 0.01, relativeTolerance: null, maxEdits: null },
    });
    changed = setColumn(removeColumn(changed, 1, 0), 1, 0, { ...emptyColumn, slug: "unit" });
    const changes = compareDrafts(draft, changed);
    expect(changes.parts).toEqual(["columns"]);
    expect(listChanges(changes)).toEqual([
      { kind: "added", table: "items", slug: "unit", details: [] },
      { kind: "removed", table: "items", slug: "amount", details: [] },
      {
        kind: "changed",
        table: "invoice",
        slug: "total",
        details: [
          "type: TEXT → NUMBER",
          "required: no → yes",
          "synonyms: nothing → Total due, Sum",
          "matching: nothing → NUMERIC 0.01",
        ],
      },
    ]);
    const moved = compareDrafts(draft, moveColumn(draft, 0, 0, 1));
    expect([moved.parts, listChanges(moved)]).toEqual([["columns"], []]);
    expect(moveColumn(draft, 0, 1, 1)).toEqual(draft);
    const settings = { ...draft.extractionSettings, temperature: 0.5 };
    expect(compareDrafts(draft, { ...draft, extractionSettings: settings }).parts).toEqual(["extractionSettings"]);
    expect(toRequest({ ...draft, extractionSettings: settings }).extractionSettings.temperature).toBe(0.5);
    const other = setTable({ ...draft, instructions: "Read the stamp." }, 1, { ...draft.tables[1]!, isPrimary: true });
    expect(compareDrafts(draft, other).parts).toEqual(["instructions", "tables"]);
    expect(other.tables.map(({ isPrimary }) => isPrimary)).toEqual([false, true]);
  });

  it("says what the server would refuse, and names the fields that it refuses", () => {
    expect(findProblems(draft)).toEqual([]);
    const wrong = setColumn(
      setColumn(setTable(draft, 0, { ...draft.tables[0]!, isPrimary: false }), 0, 2, {
        ...emptyColumn,
        slug: "number",
      }),
      1,
      0,
      { ...emptyColumn, slug: "Amount!", type: "ENUM" },
    );
    expect(findProblems(wrong)).toEqual([
      "Invoice, number: another column of the table has this slug.",
      "Items, Amount!: the slug must be lower-case letters, digits and underscores, and begin with a letter.",
      "Items, Amount!: a column of this type needs values.",
      "Exactly one table must be the primary one.",
    ]);
    expect(
      ["columns[2].synonyms[0]", "tables[1].slug", "columns[9]", "name"].map((field) => nameField(field, draft)),
    ).toEqual(["Items, AMOUNT, synonyms[0]", "Items, slug", "columns[9]", "name"]);
  });
});
