import { create } from "@bufbuild/protobuf";
import type { Value } from "@bufbuild/protobuf/wkt";
import { detectDayOrder } from "@switchyard/text";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import {
  ExtractedRowSchema,
  ExtractedTableSchema,
  type Evidence,
  type ExtractedRow,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { detectDecimalMark } from "../../candidates/numbers.ts";
import { doubtContradicted, findSumContradictions } from "../../contradictions.ts";
import { createLayout, type Layout } from "../../layout/layout.ts";
import { toEvidence } from "../../layout/span.ts";
import { nullValue } from "../../values.ts";
import type { ExtractionEngine, Question } from "../engine.ts";
import { getAskedTables, toAnswerSchema, type AskedTable } from "./question/answer-schema.ts";
import { readAnswer } from "./answer/answer.ts";
import { getConfidence, type Calibration } from "./calibration.ts";
import { toBudget, type Budget } from "./question/budget.ts";
import { printExamples, type ShownExample } from "./question/examples.ts";
import { joinParts } from "./answer/joined-parts.ts";
import { numberLines, printLines, type NumberedLine } from "./question/numbered-lines.ts";
import { cutIntoParts, type Part } from "./question/parts.ts";
import type { Lookup, PlacedRow } from "./answer/placed-rows.ts";
import { findPoorPages } from "./question/poor-pages.ts";
import { promptVersion, writeInstructions } from "./question/prompt.ts";
import { createQuoteSearch } from "./answer/quotes.ts";
import { createSupport } from "./answer/support.ts";
import { toMessage } from "./answer/typed-values.ts";

/** What is known from the accepted files of a model. */
export interface ModelKnowledge {
  /** The files to show as examples, the nearest first. */
  readonly examples: readonly ShownExample[];
  /** How often the engine was right; null if too few files say so. */
  readonly calibration: Calibration | null;
  /** How many tokens a question and its answer may have together; undefined if it is not configured. */
  readonly contextTokens?: number | undefined;
}

/**
 * The engine that asks a language model, and trusts none of its answers: values are typed, the words that each was read from are looked up in
 * the document, and confidences come from calibration.
 */
export const languageModel: ExtractionEngine<ModelKnowledge> = {
  version: promptVersion,

  prepare({ text, configuration, knowledge }) {
    const budget = getBudget(configuration, knowledge);
    const parts = cutIntoParts(numberLines(text), configuration, budget.document);
    const shared = {
      promptVersion,
      instructions: writeInstructions(configuration),
      answerName: "extraction",
      answerSchema: toAnswerSchema(configuration),
    };
    const examples = printExamples(knowledge?.examples ?? [], configuration, budget.examples);
    return parts.map((part, index): Question => ({
      ...shared,
      content: [...(examples === "" ? [] : [examples]), ...printPart(part, index, parts.length)].join("\n"),
      poorPages: findPoorPages(text, part),
    }));
  },

  extract({ text, configuration, knowledge }, answers) {
    const lines = numberLines(text);
    const parts = cutIntoParts(lines, configuration, getBudget(configuration, knowledge).document);
    const read = parts.flatMap((part, index) => {
      const answer = readAnswer(answers[index], configuration);
      return answer === undefined ? [] : [{ part, answer }];
    });
    const { layout, lookup } = createLookup(text, lines);
    const tables = getAskedTables(configuration).map((asked) => {
      const rows = joinParts(asked, read, lookup);
      return create(ExtractedTableSchema, {
        slug: asked.table.slug,
        rows: rows.map((row) => toRow(row, asked, layout, knowledge?.calibration ?? null)),
      });
    });
    const primary = configuration.tables.find(({ isPrimary }) => isPrimary)?.slug;
    tables.find(({ slug }) => slug === primary)?.contradictions.push(...findSumContradictions(configuration, tables));
    doubtContradicted(tables);
    return tables;
  },
};

function getBudget(configuration: Configuration, knowledge: ModelKnowledge | undefined): Budget {
  return toBudget(knowledge?.contextTokens, [
    writeInstructions(configuration),
    JSON.stringify(toAnswerSchema(configuration)),
  ]);
}

function printPart({ before, lines }: Part, index: number, count: number): string[] {
  const of = count === 1 ? "" : `, part ${index + 1} of ${count}`;
  if (before.length === 0) return [`== document${of} ==`, printLines(lines)];
  const repeated = "== lines that were already read ==";
  return [`== document${of} ==`, repeated, printLines(before), "== lines to read ==", printLines(lines)];
}

function createLookup(text: DocumentText, lines: readonly NumberedLine[]): { layout: Layout; lookup: Lookup } {
  const layout = createLayout(text);
  const numbers = new Map(lines.map(({ line, number }) => [line, number]));
  const texts = layout.cells.map((cell) => cell.text);
  const lookup: Lookup = {
    order: detectDayOrder(texts),
    mark: detectDecimalMark(texts),
    search: createQuoteSearch(layout),
    isSupported: createSupport(),
    getLine: (number) => lines[number - 1]?.line,
    getLineNumber: ({ spans: [{ cell }] }) => numbers.get(cell.line) ?? 0,
  };
  return { layout, lookup };
}

function toRow(
  row: PlacedRow,
  { table, columns }: AskedTable,
  layout: Layout,
  calibration: Calibration | null,
): ExtractedRow {
  const values: Record<string, Value> = {};
  const confidence: Record<string, number> = {};
  const evidence: Record<string, Evidence> = {};
  for (const { slug } of columns) {
    const given = row.get(slug);
    values[slug] = given === undefined ? nullValue() : toMessage(given.value);
    if (given === undefined) continue;
    const where = given.place && toEvidence(given.place.spans, layout);
    confidence[slug] = getConfidence(`${table.slug}.${slug}`, where !== undefined, calibration);
    if (where !== undefined) evidence[slug] = where;
  }
  return create(ExtractedRowSchema, { values, confidence, evidence });
}
