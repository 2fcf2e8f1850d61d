import { create } from "@bufbuild/protobuf";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ExtractedTableSchema, type ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { analyze, toTables } from "./analysis.ts";
import type { Field } from "../../concepts.ts";
import type { Context } from "../../context.ts";
import { doubtContradicted, findSumContradictions } from "../../contradictions.ts";
import { toRow } from "./extracted-row.ts";
import { toFacts } from "./facts/facts.ts";
import { createComparison } from "./facts/prints.ts";
import { findFactRows, getRowFact } from "./facts/rows.ts";
import { scoredFor } from "./fields/fields.ts";
import { formChoice } from "./fields/forms.ts";
import { choose } from "./fields/scoring.ts";
import { createLearnedChoice, type LearnedChoice, type WrittenChoice } from "./learning/choice.ts";
import type { Learned } from "./learning/learn.ts";
import { readRows } from "./tables/rows.ts";

/**
 * Extracts the tables of a configuration from the text of a document with typed candidates, rules about labels and layout, and arithmetic.
 * The same input always gives the same result. The primary table has exactly one row, and others have the rows of the document. Columns
 * that are excluded from extraction are left out. All others have a value, which is null if the document contains none. Values other than
 * null have a confidence (0 to 1, see `choose`) and evidence. Values that contradict each other are named in `contradictions` of
 * their table, and have a confidence of 0.5 at most. Never throws, and reads only as much as `LIMITS` allows.
 * `learned` is what was learned from accepted files: it decides the columns of the primary table that it knows. What an electronic invoice
 * states decides the columns whose concept is certain, with a confidence of 1.
 */
export function extractTables(text: DocumentText, configuration: Configuration, learned?: Learned): ExtractedTable[] {
  const tables = toTables(configuration);
  const context = analyze(text, tables);
  const learnedChoice = learned && createLearnedChoice(learned, context);
  const facts = toFacts(text);
  const compare = facts && createComparison(text, context);
  const places = new Map<string, string>();
  for (const { table, fields } of tables)
    for (const { column, concept } of fields)
      if (table.isPrimary && concept && !places.has(concept.id)) places.set(concept.id, `${table.slug}.${column.slug}`);
  const extracted = tables.map(({ table, fields }) => {
    const { slug } = table;
    if (table.isPrimary) {
      const getFact = (field: Field) =>
        field.certain && field.concept ? facts?.document.get(field.concept.id) : undefined;
      const getChoice = (field: Field) => choiceFor(field, text, context, learnedChoice);
      const read = toRow({ slug, fields, context, getChoice, getFact, compare });
      return create(ExtractedTableSchema, { slug, rows: [read.row], contradictions: read.contradictions });
    }
    const { rows, contradictions } = readRows(table, fields, context, places);
    const stated = facts && findFactRows(table, fields, facts, rows);
    if (stated === undefined) {
      const read = rows.map(
        (choices) => toRow({ slug, fields, context, getChoice: (field) => choices.get(field) }).row,
      );
      return create(ExtractedTableSchema, { slug, rows: read, contradictions });
    }
    const read = stated.map(({ facts: row, printed }) =>
      toRow({
        slug,
        fields,
        context,
        getChoice: (field) => printed.get(field),
        getFact: (field) => getRowFact(row, field),
        compare,
      }),
    );
    // What the rows of the page lack does not matter for those that XML states.
    return create(ExtractedTableSchema, {
      slug,
      rows: read.map(({ row }) => row),
      contradictions: read.flatMap((each) => each.contradictions).slice(0, MAX_CONTRADICTIONS),
    });
  });
  const primary = extracted.find((each) => tables.some(({ table }) => table.isPrimary && table.slug === each.slug));
  primary?.contradictions.push(...findSumContradictions(configuration, extracted));
  doubtContradicted(extracted);
  return extracted;
}

/** The maximum number of contradictions between the rows of a table and what the document prints. */
const MAX_CONTRADICTIONS = 20;

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
