import { create } from "@bufbuild/protobuf";
import type { Value } from "@bufbuild/protobuf/wkt";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import {
  ExtractedRowSchema,
  ExtractedTableSchema,
  type Evidence,
  type ExtractedRow,
  type ExtractedTable,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { analyse, toTables } from "./analysis.ts";
import type { Field } from "./concepts.ts";
import type { Context } from "./context.ts";
import { findSumContradictions } from "./contradictions.ts";
import { scoredFor } from "./fields/fields.ts";
import { formChoice } from "./fields/forms.ts";
import { choose } from "./fields/scoring.ts";
import { toEvidence } from "./layout/span.ts";
import { createLearnedChoice, type LearnedChoice, type WrittenChoice } from "./learning/choice.ts";
import type { Learned } from "./learning/learn.ts";
import { readRows } from "./tables/rows.ts";
import { nullValue, toValue } from "./values.ts";

/** The most confidence that a value has if others contradict it. */
const CONTRADICTED = 0.5;

/**
 * Extracts the tables of a configuration from the text of a document with typed candidates, rules about labels and layout, and arithmetic.
 * The same input always gives the same result. The primary table has exactly one row, and others have the rows of the document. Columns
 * that are excluded from extraction are left out. All others have a value, which is null if the document contains none. Values other than
 * null have a confidence (0 to 1, see `choose`) and evidence. Sums and rows that contradict each other are named in `contradictions` of
 * their table, and have a confidence of 0.5 at most. Never throws, and reads only as much as `LIMITS` allows.
 * `learned` is what was learned from accepted files: it decides the columns of the primary table that it knows.
 */
export function extractTables(text: DocumentText, configuration: Configuration, learned?: Learned): ExtractedTable[] {
  const tables = toTables(configuration);
  const context = analyse(text, tables);
  const learnedChoice = learned && createLearnedChoice(learned, context);
  const places = new Map<string, string>();
  for (const { table, fields } of tables)
    for (const { column, concept } of fields)
      if (table.isPrimary && concept && !places.has(concept.id)) places.set(concept.id, `${table.slug}.${column.slug}`);
  const extracted = tables.map(({ table, fields }) => {
    if (table.isPrimary) {
      const row = toRow(fields, context, (field) => choiceFor(field, text, context, learnedChoice));
      return create(ExtractedTableSchema, { slug: table.slug, rows: [row] });
    }
    const { rows, contradictions } = readRows(table, fields, context, places);
    return create(ExtractedTableSchema, {
      slug: table.slug,
      rows: rows.map((choices) => toRow(fields, context, (field) => choices.get(field))),
      contradictions,
    });
  });
  const primary = extracted.find((each) => tables.some(({ table }) => table.isPrimary && table.slug === each.slug));
  primary?.contradictions.push(...findSumContradictions(configuration, extracted));
  doubtContradicted(extracted);
  return extracted;
}

/** Limits the confidence of the values of each table that are contradicted: sums that rows do not add up to are no less certain. */
function doubtContradicted(tables: readonly ExtractedTable[]): void {
  for (const { slug, rows, contradictions } of tables) {
    const places = new Set(contradictions.flatMap((each) => each.columns));
    for (const { confidence } of places.size === 0 ? [] : rows)
      for (const [column, value] of Object.entries(confidence))
        if (places.has(`${slug}.${column}`)) confidence[column] = Math.min(value, CONTRADICTED);
  }
}

function choiceFor(
  field: Field,
  text: DocumentText,
  context: Context,
  learnedChoice?: LearnedChoice,
): WrittenChoice | undefined {
  const form = formChoice(field, text, context);
  const known = learnedChoice?.(field);
  const found = known === undefined ? choose(scoredFor(field, context)) : (known ?? undefined);
  return form && form.confidence >= (found?.confidence ?? 0) ? form : found;
}

function toRow(
  fields: readonly Field[],
  context: Context,
  getChoice: (field: Field) => WrittenChoice | undefined,
): ExtractedRow {
  const values: Record<string, Value> = {};
  const confidence: Record<string, number> = {};
  const evidence: Record<string, Evidence> = {};
  for (const field of fields) {
    const { slug } = field.column;
    const choice = getChoice(field);
    const value = choice && toValue(choice.candidate, field, context.mark, choice.text);
    values[slug] = value ?? nullValue();
    if (!choice || !value) continue;
    confidence[slug] = Math.min(1, Math.max(0, Math.round(choice.confidence * 1000) / 1000));
    const where = toEvidence(choice.candidate.spans);
    if (where) evidence[slug] = where;
  }
  return create(ExtractedRowSchema, { values, confidence, evidence });
}
