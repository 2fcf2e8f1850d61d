import { FactGroup, type DocumentText, type Fact } from "@switchyard/contracts/switchyard/extraction/v1/document";

/** Facts by the concept of their values. */
export type FactsByConcept = ReadonlyMap<string, Fact>;

/** What the electronic invoice in a document states. */
export interface Facts {
  /** The facts about the whole invoice. */
  readonly document: FactsByConcept;
  /** The facts about each tax rate. */
  readonly taxes: readonly FactsByConcept[];
  /** The facts about each line item. */
  readonly lines: readonly FactsByConcept[];
}

/** The maximum number of line items, and of tax rates, of an invoice. */
export const MAX_ROWS = 10_000;

/** Arranges the facts of a document; undefined if there are none. Never throws. */
export function toFacts(text: DocumentText): Facts | undefined {
  if (text.facts.length === 0) return undefined;
  const document = new Map<string, Fact>();
  const taxes: Map<string, Fact>[] = [];
  const lines: Map<string, Fact>[] = [];
  for (const fact of text.facts) {
    if (fact.group === FactGroup.DOCUMENT) document.set(fact.concept, fact);
    else addTo(fact.group === FactGroup.TAX ? taxes : lines, fact);
  }
  const [only] = taxes;
  // An invoice with one rate of tax states it as a whole.
  const rates = taxes.length === 1 && only ? [...only].filter(([id]) => id === "tax-rate" || id === "tax-basis") : [];
  return { document: new Map([...rates, ...document]), taxes: withRows(taxes), lines: withRows(lines) };
}

function addTo(rows: Map<string, Fact>[], fact: Fact): void {
  if (fact.row < 0 || fact.row >= MAX_ROWS) return;
  const row = rows[fact.row] ?? new Map<string, Fact>();
  rows[fact.row] = row.set(fact.concept, fact);
}

/** Returns the rows that have facts: numbers may be left out. */
function withRows(rows: readonly (Map<string, Fact> | undefined)[]): FactsByConcept[] {
  return Array.from(rows).filter((row) => row !== undefined);
}
