import {
  FactGroup,
  TextSource,
  type DocumentText,
  type Fact,
} from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import type { Choice } from "../fields/scoring.ts";
import { joined } from "../../../fold.ts";
import type { Kind } from "../../../lexicon/concept.ts";

/** How what a document prints relates to a fact: it prints the same value at the chosen place, another one, or neither is certain. */
export type Print = "SAME" | "CONTRARY" | "UNKNOWN";

/** The confidence from which the value on the page counts as what the document prints for a column. */
const CERTAIN = 0.6;
/** Texts that a document often prints in other words than its XML, such as addresses, are not compared. */
const COMPARED: readonly Kind[] = [
  "money",
  "number",
  "percent",
  "date",
  "identifier",
  "iban",
  "bic",
  "tax-identifier",
  "currency",
  "name",
];
/** Of the values of line items, only the amount is compared: prices are often printed before discounts, and quantities with their units. */
const COMPARED_OF_LINES = "line-amount";
const NUMERIC: readonly Kind[] = ["money", "number", "percent"];

/** Compares a fact with the value that was found on the pages. What is printed anywhere on them is not contradicted. Never throws. */
export type Comparison = (fact: Fact, field: Field, choice: Choice | undefined) => Print;

/** Creates the comparison for a document. Pages that only show what its XML states do not count as printed. */
export function createComparison(text: DocumentText, context: Context): Comparison {
  const shown = new Set(text.pages.filter((page) => page.source === TextSource.XML).map((page) => page.number));
  const cells = context.layout.cells.filter((cell) => !shown.has(cell.page));
  const getNumbers = (): Set<number> =>
    context.once("facts.numbers", () => new Set(cells.flatMap((cell) => context.numbers(cell)).map(toCents)));
  const getDates = (): Set<unknown> =>
    context.once("facts.dates", () => new Set(cells.flatMap((cell) => context.candidates("date", cell)).map(getValue)));
  const getLetters = (): string =>
    context.once("facts.letters", () => cells.map((cell) => cell.tokens.map((token) => token.text).join("")).join(""));

  function isPrinted({ value }: Fact, kind: Kind): boolean {
    if (NUMERIC.includes(kind)) return getNumbers().has(toCents({ value: Number(value) }));
    if (kind === "date") return getDates().has(value);
    return getLetters().includes(joined(value));
  }

  return (fact, field, choice) => {
    if (choice === undefined) return "UNKNOWN";
    const kind = field.concept?.kind ?? field.kind;
    if (isEqual(fact, kind, choice)) return "SAME";
    const [{ cell }] = choice.candidate.spans;
    if (choice.confidence < CERTAIN || shown.has(cell.page) || !COMPARED.includes(kind)) return "UNKNOWN";
    if (fact.group === FactGroup.LINE && fact.concept !== COMPARED_OF_LINES) return "UNKNOWN";
    if (kind === "name" && isPartOf(fact.value, String(choice.candidate.value))) return "UNKNOWN";
    return isPrinted(fact, kind) ? "UNKNOWN" : "CONTRARY";
  };
}

function isEqual({ value }: Fact, kind: Kind, { candidate }: Choice): boolean {
  if (NUMERIC.includes(kind) && typeof candidate.value === "number")
    return toCents({ value: Number(value) }) === toCents({ value: candidate.value });
  return joined(value) === joined(String(candidate.value));
}

/** Whether one of two names contains the other: "Max Mustermann" and "Herrn Max Mustermann". */
function isPartOf(one: string, other: string): boolean {
  const [first, second] = [joined(one), joined(other)];
  return first.includes(second) || second.includes(first);
}

/** Signs are not compared, because credit notes print them in several ways. */
function toCents({ value }: { readonly value: number }): number {
  return Math.round(Math.abs(value) * 100);
}

function getValue({ value }: { readonly value: string | number }): string | number {
  return value;
}
