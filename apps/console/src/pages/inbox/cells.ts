import type { Column, Configuration, CorrectionBody, Extraction } from "@switchyard/client";
import type { Mark } from "../../document/marks.ts";

/** A value of an extraction, and where it stands. */
export interface Cell {
  /** The table, the row and the column: unique within the extraction. */
  readonly key: string;
  readonly table: string;
  readonly row: number;
  readonly column: Column;
  readonly value: unknown;
  /** From 0 to 1. Null without a value. */
  readonly confidence: number | null;
  /** Whether a contradiction names the column. */
  readonly isContradicted: boolean;
  readonly mark: Mark | undefined;
}

/** A table of an extraction for correction: all columns that are extracted, and a row of cells for each row. */
export interface CellTable {
  readonly slug: string;
  readonly name: string;
  readonly isPrimary: boolean;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  readonly contradictions: readonly string[];
}

/** Arranges an extraction by the tables of its schema. `added` is the number of rows that were added to a table by hand. */
export function toCellTables(
  { tables, columns }: Pick<Configuration, "tables" | "columns">,
  extraction: Pick<Extraction, "tables">,
  added: Readonly<Record<string, number>>,
): readonly CellTable[] {
  return tables.map(({ id, slug, name, isPrimary }) => {
    const extracted = extraction.tables.find((each) => each.slug === slug);
    const own = columns
      .filter((column) => column.tableId === id && !column.excludedFromExtraction)
      .toSorted((one, other) => one.index - other.index);
    const count = Math.max(extracted?.rows.length ?? 0, isPrimary ? 1 : 0) + (added[slug] ?? 0);
    const contradicted = new Set(extracted?.contradictions.flatMap((each) => each.columns) ?? []);
    const rows = Array.from({ length: count }, (_, row) =>
      own.map((column): Cell => {
        const { values, confidence, evidence } = extracted?.rows[row] ?? { values: {}, confidence: {}, evidence: {} };
        const key = `${slug}.${row}.${column.slug}`;
        const found = evidence[column.slug];
        return {
          key,
          table: slug,
          row,
          column,
          value: values[column.slug] ?? null,
          confidence: confidence[column.slug] ?? null,
          isContradicted: contradicted.has(`${slug}.${column.slug}`),
          mark: found && { key, label: column.name, page: found.page, quote: found.quote, box: found.box },
        };
      }),
    );
    return {
      slug,
      name,
      isPrimary,
      columns: own,
      rows,
      contradictions: extracted?.contradictions.map(({ message }) => message) ?? [],
    };
  });
}

/** A text that was typed for a column: its value, or that it is not of the column's type. An empty text means that there is no value. */
export type Typed = { readonly value: unknown } | { readonly problem: true };

/** Reads a typed text as a value of a column. */
export function parseTyped({ type, enumValues }: Pick<Column, "type" | "enumValues">, text: string): Typed {
  const word = text.trim();
  if (word === "") return { value: null };
  switch (type) {
    case "NUMBER":
      return /^-?\d+(\.\d+)?$/.test(word) ? { value: Number(word) } : { problem: true };
    case "BOOLEAN":
      return word === "true" || word === "false" ? { value: word === "true" } : { problem: true };
    case "DATE":
      return isDate(word) ? { value: word } : { problem: true };
    case "ENUM":
      return enumValues.includes(word) ? { value: word } : { problem: true };
    case "TEXT":
      return { value: text };
  }
}

function isDate(word: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(word)) return false;
  const date = new Date(`${word}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(word);
}

/** The corrections for typed texts: those that differ from the extracted values. Undefined while a text is not of its column's type. */
export function toCorrections(
  cells: readonly Cell[],
  typed: Readonly<Record<string, string>>,
): readonly CorrectionBody[] | undefined {
  const corrections: CorrectionBody[] = [];
  for (const { key, table, row, column, value } of cells) {
    const text = typed[key];
    if (text === undefined) continue;
    const parsed = parseTyped(column, text);
    if ("problem" in parsed) return undefined;
    if (parsed.value !== value) corrections.push({ table, row, column: column.slug, value: parsed.value });
  }
  return corrections;
}
