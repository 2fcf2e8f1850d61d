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
import { toFields, type Field } from "./concepts.ts";
import { createContext, type Context } from "./context.ts";
import { findSumContradictions } from "./contradictions.ts";
import { ownKey, scoredFor } from "./fields/fields.ts";
import { formChoice } from "./fields/forms.ts";
import { conceptLabels, withOwnLabels } from "./labels.ts";
import { DOCUMENT_CONCEPTS } from "./lexicon/lexicon.ts";
import { choose, type Choice } from "./fields/scoring.ts";
import { toEvidence } from "./layout/span.ts";
import { readRows } from "./tables/rows.ts";
import { nullValue, toValue } from "./values.ts";

/** The most confidence that a value has if others contradict it. */
const CONTRADICTED = 0.5;
const DOCUMENT_LABELS = conceptLabels(DOCUMENT_CONCEPTS);

/**
 * Extracts the tables of a configuration from the text of a document with typed candidates, rules about labels and layout, and arithmetic.
 * The same input always gives the same result. The primary table has exactly one row, and others have the rows of the document. Columns
 * that are excluded from extraction are left out. All others have a value, which is null if the document contains none. Values other than
 * null have a confidence (0 to 1, see `choose`) and evidence. Sums and rows that contradict each other are named in `contradictions` of
 * their table, and have a confidence of 0.5 at most. Never throws, and reads only as much as `LIMITS` allows.
 */
export function extractTables(text: DocumentText, configuration: Configuration): ExtractedTable[] {
  const tables = configuration.tables.map((table) => {
    const columns = configuration.columns
      .filter((column) => column.tableId === table.id && !column.excludedFromExtraction)
      .sort((one, other) => one.index - other.index);
    return { table, fields: toFields(columns, table.isPrimary) };
  });
  const own = new Map<string, readonly string[]>();
  for (const { table, fields } of tables)
    if (table.isPrimary) for (const field of fields) own.set(ownKey(field), field.labels);
  const context = createContext(text, withOwnLabels(DOCUMENT_LABELS, own));
  const places = new Map<string, string>();
  for (const { table, fields } of tables)
    for (const { column, concept } of fields)
      if (table.isPrimary && concept && !places.has(concept.id)) places.set(concept.id, `${table.slug}.${column.slug}`);
  const extracted = tables.map(({ table, fields }) => {
    if (table.isPrimary) {
      const row = toRow(fields, context, (field) => choiceFor(field, text, context));
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

function choiceFor(field: Field, text: DocumentText, context: Context): Choice | undefined {
  const form = formChoice(field, text, context);
  const found = choose(scoredFor(field, context));
  return form && form.confidence >= (found?.confidence ?? 0) ? form : found;
}

function toRow(
  fields: readonly Field[],
  context: Context,
  getChoice: (field: Field) => Choice | undefined,
): ExtractedRow {
  const values: Record<string, Value> = {};
  const confidence: Record<string, number> = {};
  const evidence: Record<string, Evidence> = {};
  for (const field of fields) {
    const { slug } = field.column;
    const choice = getChoice(field);
    const value = choice && toValue(choice.candidate, field, context.mark);
    values[slug] = value ?? nullValue();
    if (!choice || !value) continue;
    confidence[slug] = Math.min(1, Math.max(0, Math.round(choice.confidence * 1000) / 1000));
    const where = toEvidence(choice.candidate.spans);
    if (where) evidence[slug] = where;
  }
  return create(ExtractedRowSchema, { values, confidence, evidence });
}
