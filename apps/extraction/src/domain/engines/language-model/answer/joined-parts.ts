import type { Column } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Answer } from "./answer.ts";
import type { AskedTable } from "../question/answer-schema.ts";
import type { Part } from "../question/parts.ts";
import { placeRow, type Lookup, type PlacedRow, type PlacedValue } from "./placed-rows.ts";

/** An answer about a part of a document. */
export interface PartAnswer {
  readonly part: Part;
  readonly answer: Answer;
}

/**
 * Joins what was answered about the parts of a document to the rows of a table. In the primary table, the first value of a column that is found in
 * the document counts, else the first one. The rows of other tables follow each other; rows of the lines that a part only repeats, and
 * rows that are read twice from the same places, are left out. Never throws.
 */
export function joinParts({ table, columns }: AskedTable, answers: readonly PartAnswer[], lookup: Lookup): PlacedRow[] {
  const read = answers.map(({ part, answer }) => ({
    part,
    rows: (answer.get(table.slug) ?? []).map((row) => placeRow(row, columns, lookup)),
  }));
  if (table.isPrimary)
    return [
      joinPrimary(
        columns,
        read.map(({ rows }) => rows[0] ?? new Map<string, PlacedValue>()),
      ),
    ];
  const known = new Set<string>();
  return read.flatMap(({ part, rows }) =>
    rows.filter((row) => {
      const key = toKey(row);
      const isNew = !isRepeated(row, part, lookup) && !known.has(key);
      if (hasPlace(row)) known.add(key);
      return isNew;
    }),
  );
}

function joinPrimary(columns: readonly Column[], rows: readonly PlacedRow[]): PlacedRow {
  return new Map(
    columns.flatMap(({ slug }) => {
      const values = rows.flatMap((row) => row.get(slug) ?? []);
      const value = values.find(({ place }) => place !== undefined) ?? values[0];
      return value === undefined ? [] : [[slug, value] as const];
    }),
  );
}

/** Whether all places of a row are on lines that the part only repeats. */
function isRepeated(row: PlacedRow, part: Part, { getLineNumber }: Lookup): boolean {
  const first = part.lines[0]?.number ?? 0;
  const lines = [...row.values()].flatMap(({ place }) => (place === undefined ? [] : [getLineNumber(place)]));
  return part.before.length > 0 && lines.length > 0 && lines.every((line) => line > 0 && line < first);
}

function hasPlace(row: PlacedRow): boolean {
  return [...row.values()].some(({ place }) => place !== undefined);
}

function toKey(row: PlacedRow): string {
  return JSON.stringify([...row].map(([slug, { value, place }]) => [slug, value, place?.position]));
}
