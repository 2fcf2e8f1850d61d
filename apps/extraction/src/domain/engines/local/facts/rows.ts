import type { Table } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Fact } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { Field } from "../../../concepts.ts";
import type { Choice } from "../fields/scoring.ts";
import { joined } from "../../../fold.ts";
import type { Facts, FactsByConcept } from "./facts.ts";

/** A row of a table with what XML states of it, and with the row of the page that shows it, if there is one. */
export interface FactRow {
  readonly facts: FactsByConcept;
  readonly printed: ReadonlyMap<Field, Choice>;
}

const ITEM_TABLE = /item|line|position|article|artikel|product|produkt|produit|goods|leistung|ligne/iu;
const TAX_TABLE = /tax|vat|steuer|mwst|ust|tva|iva|btw|gst/iu;
/** Concepts that only line items have. */
const ITEM_CONCEPTS: ReadonlySet<string> = new Set(["line-quantity", "line-price", "line-article", "line-unit"]);
/** The concepts of a table of taxes, by those that a table of line items would have instead. */
const TAX_CONCEPTS: ReadonlyMap<string, string> = new Map([
  ["line-tax-rate", "tax-rate"],
  ["line-tax-amount", "tax"],
  ["tax-rate", "tax-rate"],
  ["tax", "tax"],
  ["tax-basis", "tax-basis"],
  ["net", "tax-basis"],
  ["line-amount", "tax"],
]);

/**
 * Returns the rows that XML states for a table: its line items if the table has columns that line items have, or its taxes if it is a table of
 * taxes. Rows of the page are assigned to those with the most equal values. Returns undefined if the table is neither, or XML states
 * none. Never throws.
 */
export function findFactRows(
  table: Table,
  fields: readonly Field[],
  facts: Facts,
  printed: readonly ReadonlyMap<Field, Choice>[],
): FactRow[] | undefined {
  const rows = chooseRows(table, fields, facts);
  if (rows.length === 0) return undefined;
  return assign(rows, fields, printed);
}

/** Returns the fact that a row states for a field; undefined if none is certain. */
export function getRowFact(row: FactsByConcept, field: Field): Fact | undefined {
  if (!field.certain || field.concept === undefined) return undefined;
  return row.get(field.concept.id) ?? (row.has("tax") ? row.get(TAX_CONCEPTS.get(field.concept.id) ?? "") : undefined);
}

function chooseRows({ slug, name }: Table, fields: readonly Field[], facts: Facts): readonly FactsByConcept[] {
  const title = `${slug} ${name}`;
  const concepts = fields.flatMap(({ certain, concept }) => (certain && concept ? [concept.id] : []));
  const isItems = concepts.some((id) => ITEM_CONCEPTS.has(id));
  const ofTaxes = concepts.filter((id) => TAX_CONCEPTS.has(id));
  if (!isItems && ofTaxes.length > 0 && (TAX_TABLE.test(title) || ofTaxes.includes("tax-basis"))) return facts.taxes;
  const stated = new Set(facts.lines.flatMap((row) => [...row.keys()]));
  const known = concepts.filter((id) => stated.has(id));
  return (isItems || ITEM_TABLE.test(title)) && known.length > 0 ? facts.lines : [];
}

/** Assigns each row of the page to the first free row with the most values that are equal, in the order of the page. */
function assign(
  rows: readonly FactsByConcept[],
  fields: readonly Field[],
  printed: readonly ReadonlyMap<Field, Choice>[],
): FactRow[] {
  const assigned = new Map<number, ReadonlyMap<Field, Choice>>();
  let from = 0;
  for (const row of printed) {
    let best: { at: number; equal: number } | undefined;
    for (let at = from; at < Math.min(rows.length, from + WINDOW); at += 1) {
      const equal = countEqual(rows[at]!, fields, row);
      if (equal > (best?.equal ?? 0)) best = { at, equal };
    }
    if (best === undefined) continue;
    assigned.set(best.at, row);
    from = best.at + 1;
  }
  return rows.map((facts, at) => ({ facts, printed: assigned.get(at) ?? new Map<Field, Choice>() }));
}

/** How many rows further the row of a page is looked for. */
const WINDOW = 20;

function countEqual(row: FactsByConcept, fields: readonly Field[], printed: ReadonlyMap<Field, Choice>): number {
  let equal = 0;
  for (const field of fields) {
    const fact = getRowFact(row, field);
    const value = printed.get(field)?.candidate.value;
    if (fact === undefined || value === undefined) continue;
    if (typeof value === "number" ? Number(fact.value) === value : joined(fact.value) === joined(value)) equal += 1;
  }
  return equal;
}
