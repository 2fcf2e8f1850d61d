import { ColumnType, type Table } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Contradiction } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { valueIn } from "../../../candidates/words.ts";
import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import { ownKey } from "../fields/fields.ts";
import { collapse } from "../../../fold.ts";
import { conceptLabels, labelHits, withOwnLabels } from "../../../labels.ts";
import { LINE_CONCEPTS } from "../../../lexicon/lexicon.ts";
import { findParties } from "../fields/prose.ts";
import type { Choice } from "../fields/scoring.ts";
import { printed, type Span } from "../../../layout/span.ts";
import { isNumeric } from "./atoms.ts";
import { itemsBelow, type Item } from "./body.ts";
import { findRowContradictions } from "./checks.ts";
import { findHeaders } from "./header.ts";
import { otherFields } from "./others.ts";

const CENT = 0.015;
const LINE_LABELS = conceptLabels(LINE_CONCEPTS);

/** The rows of a table, and what speaks against them. */
export interface RowReading {
  readonly rows: Map<Field, Choice>[];
  readonly contradictions: Contradiction[];
}

/**
 * Finds the rows of a table other than the primary one, in the order of the document: those below the header that names most of its
 * columns. Without a header there are none, except for a table of parties, whose rows are named by the opening of an agreement. The
 * confidence of a row is 0.7, or 0.9 if quantity times price is the amount, and 0.1 less for text over several lines. Rows that do not add
 * up, and lines that look like rows but were not taken, are contradictions. `places` names columns of the primary table by concept.
 */
export function readRows(
  table: Table,
  fields: readonly Field[],
  context: Context,
  places: ReadonlyMap<string, string> = new Map(),
): RowReading {
  if (fields.length === 0) return { rows: [], contradictions: [] };
  const index = withOwnLabels(LINE_LABELS, new Map(fields.map((field) => [ownKey(field), field.labels])));
  const hits = labelHits(context.layout, index);
  const headers = findHeaders(context, fields, hits, index, otherFields(fields));
  const strongest = Math.max(0, ...headers.map((header) => Math.floor(header.strength)));
  for (const header of headers.filter((each) => Math.floor(each.strength) === strongest)) {
    const { items, leftOut } = itemsBelow(header, headers, fields, hits, context);
    const filled = items.filter((item) => isFilled(item, fields));
    if (filled.length === 0) continue;
    const incomplete = items.filter((item) => item.numbers.size > 0 && !isFilled(item, fields)).map(({ line }) => line);
    const contradictions = findRowContradictions(table, fields, filled, [...leftOut, ...incomplete], places, context);
    return { rows: filled.map((item) => chooseFields(item, context)), contradictions };
  }
  const rows = partyRows(table, fields, context);
  const contradictions = rows.length > 0 ? [] : findRowContradictions(table, fields, [], [], places, context);
  return { rows, contradictions };
}

function isFilled(item: Item, fields: readonly Field[]): boolean {
  const numeric = fields.filter((field) => isNumeric(field.kind)).length;
  if (numeric > 0 && item.numbers.size === 0) return false;
  return item.numbers.size + item.pieces.size >= Math.min(2, fields.length);
}

function chooseFields(item: Item, context: Context): Map<Field, Choice> {
  const byConcept = (id: string): number | undefined =>
    [...item.numbers].find(([field]) => field.concept?.id === id)?.[1].value;
  const quantity = byConcept("line-quantity");
  const price = byConcept("line-price");
  const amount = byConcept("line-amount");
  const checked =
    quantity !== undefined && price !== undefined && amount !== undefined && Math.abs(quantity * price - amount) < CENT;
  const confidence = checked ? 0.9 : 0.7;
  const choices = new Map<Field, Choice>();
  for (const [field, { value, span }] of item.numbers)
    choices.set(field, { candidate: { spans: [span], value, shape: 1 }, confidence });
  for (const [field, spans] of item.pieces) {
    const [first, ...rest] = spans;
    const choice = first && pieceChoice(field, first, rest, confidence, context);
    if (choice) choices.set(field, choice);
  }
  return choices;
}

function pieceChoice(
  field: Field,
  first: Span,
  rest: readonly Span[],
  confidence: number,
  context: Context,
): Choice | undefined {
  if (field.column.type === ColumnType.DATE) {
    const date = context.candidates("date", first.cell)[0];
    return date && { candidate: date, confidence };
  }
  if (field.column.type === ColumnType.ENUM) {
    const found = valueIn(printed(first), field.column.enumValues);
    if (!found) return undefined;
    const span = { cell: first.cell, start: first.start + found.start, end: first.start + found.end };
    return { candidate: { spans: [span], value: found.value, shape: 1 }, confidence };
  }
  return textChoice(first, rest, confidence);
}

function textChoice(first: Span, rest: readonly Span[], confidence: number): Choice {
  const value = collapse([first, ...rest].map(printed).join(" "));
  return {
    candidate: { spans: [first, ...rest], value, shape: 1 },
    confidence: rest.length > 0 ? confidence - 0.1 : confidence,
  };
}

function partyRows(table: Table, fields: readonly Field[], context: Context): Map<Field, Choice>[] {
  const named = /part(?:y|ies|ei|ie)/iu;
  const name = fields.find((field) => field.kind === "name") ?? fields.find((field) => named.test(field.column.name));
  if (!name || !(named.test(table.slug) || named.test(table.name))) return [];
  return findParties(context).map(
    (party) => new Map([[name, { candidate: party.scored.candidate, confidence: party.scored.score }]]),
  );
}
