import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { getAskedTables } from "../question/answer-schema.ts";

/** What a language model says about a cell. None of it has been checked yet. */
export interface AnsweredCell {
  readonly value: string | number | boolean;
  /** The words that it was read from; empty if it names none. */
  readonly quote: string;
  /** The number of their line; 0 if it names none. */
  readonly line: number;
}

/** The cells of a row that have a value, by the slug of the column. */
export type AnsweredRow = ReadonlyMap<string, AnsweredCell>;

/** The rows that a language model says a document has, by the slug of the table. */
export type Answer = ReadonlyMap<string, readonly AnsweredRow[]>;

/** The maximum number of rows of a table that are read from one answer. */
const MAX_ROWS = 2_000;
/** The maximum number of characters of a text or of a quote that are read. */
const MAX_CHARACTERS = 4_000;

/**
 * Reads an answer. Returns undefined if it is not an object of tables with rows. A table or a cell that is missing has no value, what the
 * configuration does not know is dropped, and a cell that is only a value has no quote. Never throws.
 */
export function readAnswer(answer: unknown, configuration: Configuration): Answer | undefined {
  if (!isObject(answer)) return undefined;
  const tables = getAskedTables(configuration);
  if (!tables.some(({ table }) => Object.hasOwn(answer, table.slug))) return undefined;
  const read = new Map<string, readonly AnsweredRow[]>();
  for (const { table, columns } of tables) {
    const slugs = columns.map(({ slug }) => slug);
    const given = getOwn(answer, table.slug);
    const rows = table.isPrimary ? [given ?? {}] : (given ?? []);
    if (!Array.isArray(rows) || !rows.every(isObject)) return undefined;
    const answered = rows.slice(0, MAX_ROWS).map((row) => readRow(row, slugs));
    read.set(table.slug, table.isPrimary ? answered : answered.filter((row) => row.size > 0));
  }
  return read;
}

function readRow(row: Readonly<Record<string, unknown>>, slugs: readonly string[]): AnsweredRow {
  return new Map(
    slugs.flatMap((slug) => {
      const cell = readCell(getOwn(row, slug));
      return cell === undefined ? [] : [[slug, cell] as const];
    }),
  );
}

function readCell(cell: unknown): AnsweredCell | undefined {
  const { value, quote, line } = isObject(cell)
    ? { value: getOwn(cell, "value"), quote: getOwn(cell, "quote"), line: getOwn(cell, "line") }
    : { value: cell, quote: null, line: null };
  const isScalar = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (!isScalar || (typeof value === "string" && value.trim() === "")) return undefined;
  return {
    value: typeof value === "string" ? value.slice(0, MAX_CHARACTERS) : (value as number | boolean),
    quote: typeof quote === "string" ? quote.slice(0, MAX_CHARACTERS) : "",
    line: Number.isSafeInteger(line) ? (line as number) : 0,
  };
}

function getOwn(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
