import { create } from "@bufbuild/protobuf";
import type { Value } from "@bufbuild/protobuf/wkt";
import type { Fact } from "@switchyard/contracts/switchyard/extraction/v1/document";
import {
  ContradictionCode,
  ExtractedRowSchema,
  type Contradiction,
  type Evidence,
  type ExtractedRow,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Field } from "../../concepts.ts";
import type { Context } from "../../context.ts";
import { contradiction } from "../../contradictions.ts";
import type { Comparison } from "./facts/prints.ts";
import { toFactEvidence, toFactValue } from "./facts/values.ts";
import { toEvidence } from "../../layout/span.ts";
import type { WrittenChoice } from "./learning/choice.ts";
import { nullValue, toValue } from "../../values.ts";

/** What a row is made of: the choices on the pages and what XML states for its fields. */
export interface RowSources {
  readonly slug: string;
  readonly fields: readonly Field[];
  readonly context: Context;
  readonly getChoice: (field: Field) => WrittenChoice | undefined;
  readonly getFact?: (field: Field) => Fact | undefined;
  readonly compare?: Comparison | undefined;
}

/**
 * Creates a row from what XML states for its fields, or else from the choices on the pages, and names the values that the pages print
 * differently. Fields without a value have null. Never throws.
 */
export function toRow({ slug: table, fields, context, getChoice, getFact, compare }: RowSources): {
  row: ExtractedRow;
  contradictions: Contradiction[];
} {
  const values: Record<string, Value> = {};
  const confidence: Record<string, number> = {};
  const evidence: Record<string, Evidence> = {};
  const contradictions: Contradiction[] = [];
  for (const field of fields) {
    const { slug, name } = field.column;
    const choice = getChoice(field);
    const where = choice && toEvidence(choice.candidate.spans, context.layout);
    const fact = getFact?.(field);
    const stated = fact && toFactValue(fact, field);
    if (fact && stated) {
      const print = compare?.(fact, field, choice) ?? "UNKNOWN";
      values[slug] = stated;
      confidence[slug] = 1;
      evidence[slug] = toFactEvidence(
        fact,
        print === "SAME" ? where : undefined,
        print === "CONTRARY" ? where : undefined,
      );
      if (print === "CONTRARY") {
        const message = `${name}: the XML of the document states "${shorten(fact.value)}", and the page prints "${shorten(where?.quote)}"`;
        contradictions.push(contradiction(ContradictionCode.XML_MISMATCH, message, [`${table}.${slug}`]));
      }
      continue;
    }
    const value = choice && toValue(choice.candidate, field, context.mark, choice.text);
    values[slug] = value ?? nullValue();
    if (!choice || !value) continue;
    confidence[slug] = Math.min(1, Math.max(0, Math.round(choice.confidence * 1000) / 1000));
    if (where) evidence[slug] = where;
  }
  return { row: create(ExtractedRowSchema, { values, confidence, evidence }), contradictions };
}

/** Shortens a text for a message. */
function shorten(text = ""): string {
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
