import { create } from "@bufbuild/protobuf";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import {
  ContradictionCode,
  ContradictionSchema,
  type Contradiction,
  type ExtractedTable,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { toFields } from "./concepts.ts";

/** Up to this difference, sums count as equal: totals are often rounded to five cents. */
const ROUNDING = 0.051;
const CENT = 0.011;
/** The maximum confidence of a value that others contradict. */
const CONTRADICTED = 0.5;
/** Sums that may be between net + tax and the total, with their usual sign. */
const BETWEEN = { charges: 1, shipping: 1, tip: 1, discount: -1, rounding: 1 } as const;

/** The value of a sum in the primary table, and where it is. */
interface Sum {
  readonly value: number;
  readonly place: string;
}

/**
 * Finds contradictions between the values of an extraction: what the engine found when it read the rows (`contradictions` of the
 * tables), a total that is not net + tax, and an amount due that is not the total without what was paid. Sums between them, such as a
 * service charge, a discount or a rounding, are considered if the schema has columns for them. Values that are null contradict nothing.
 * Columns are named as `<table>.<column>`. Pure, and never throws.
 */
export function findContradictions(schema: Configuration, tables: readonly ExtractedTable[]): Contradiction[] {
  const carried = tables.flatMap((table) => table.contradictions);
  const found = [...carried];
  for (const next of findSumContradictions(schema, tables)) {
    const known = carried.some((each) => each.code === next.code && each.columns.join() === next.columns.join());
    if (!known) found.push(next);
  }
  return found;
}

/** Finds the contradictions between the sums of the primary table only. */
export function findSumContradictions(schema: Configuration, tables: readonly ExtractedTable[]): Contradiction[] {
  const sums = readSums(schema, tables);
  const { gross, net, tax, due, prepaid } = Object.fromEntries(sums);
  const found: Contradiction[] = [];
  if (gross && net && tax) {
    const between = Object.entries(BETWEEN).flatMap(([concept, sign]) => {
      const sum = sums.get(concept);
      return sum ? [concept === "rounding" ? sum.value : sign * Math.abs(sum.value)] : [];
    });
    if (!subsetSums(between).some((more) => isEqual(net.value + tax.value + more, gross.value, ROUNDING)))
      found.push(
        contradiction(
          ContradictionCode.TOTAL_MISMATCH,
          `${printed(net.value)} and the tax of ${printed(tax.value)} are not the total of ${printed(gross.value)}`,
          [net.place, tax.place, gross.place],
        ),
      );
  }
  if (gross && due && prepaid && !isEqual(gross.value - Math.abs(prepaid.value), due.value, ROUNDING))
    found.push(
      contradiction(
        ContradictionCode.DUE_MISMATCH,
        `${printed(gross.value)} without the paid ${printed(prepaid.value)} is not the amount due of ${printed(due.value)}`,
        [gross.place, prepaid.place, due.place],
      ),
    );
  return found;
}

/**
 * Limits the confidence of the values of each table that are contradicted: sums that rows do not add up to are no less certain. A value that
 * the document prints differently is doubted in its row only.
 */
export function doubtContradicted(tables: readonly ExtractedTable[]): void {
  for (const { slug, rows, contradictions } of tables) {
    const between = contradictions.filter(({ code }) => code !== ContradictionCode.XML_MISMATCH);
    const places = new Set(between.flatMap((each) => each.columns));
    for (const { confidence, evidence } of contradictions.length === 0 ? [] : rows)
      for (const [column, value] of Object.entries(confidence))
        if (places.has(`${slug}.${column}`) || (evidence[column]?.contradicts.length ?? 0) > 0)
          confidence[column] = Math.min(value, CONTRADICTED);
  }
}

/** Creates a contradiction between columns, which are named as `<table>.<column>`. */
export function contradiction(code: ContradictionCode, message: string, columns: readonly string[]): Contradiction {
  return create(ContradictionSchema, { code, message, columns: [...columns] });
}

/** Returns the sums of any of the amounts, including none of them. At most the first eight are considered. */
export function subsetSums(amounts: readonly number[]): number[] {
  return amounts.slice(0, 8).reduce<number[]>((sums, amount) => [...sums, ...sums.map((sum) => sum + amount)], [0]);
}

/** Prints an amount for people: with two decimals. */
export function printed(amount: number): string {
  return amount.toFixed(2);
}

/** Tells whether two amounts are equal but for rounding. `tolerance` is a cent if it is not given. */
export function isEqual(one: number, other: number, tolerance = CENT): boolean {
  return Math.abs(one - other) < tolerance;
}

/** Reads the numbers of the primary table by the concept of their column; of several columns of a concept the first that has one. */
function readSums(schema: Configuration, tables: readonly ExtractedTable[]): Map<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const { id, slug } of schema.tables.filter((table) => table.isPrimary)) {
    const row = tables.find((table) => table.slug === slug)?.rows[0];
    const columns = schema.columns
      .filter((column) => column.tableId === id && !column.excludedFromExtraction)
      .sort((one, other) => one.index - other.index);
    for (const { column, concept } of toFields(columns, true)) {
      const kind = row?.values[column.slug]?.kind;
      if (concept && kind?.case === "numberValue" && !sums.has(concept.id))
        sums.set(concept.id, { value: kind.value, place: `${slug}.${column.slug}` });
    }
  }
  return sums;
}
