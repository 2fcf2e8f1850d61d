import { create } from "@bufbuild/protobuf";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import {
  TextLineSchema,
  type DocumentText,
  type FormValue,
} from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { Candidate } from "../../../candidates/candidate.ts";
import { datesIn } from "../../../candidates/dates.ts";
import { numbersIn } from "../../../candidates/numbers.ts";
import { valueIn } from "../../../candidates/words.ts";
import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import { joined, tokenize } from "../../../fold.ts";
import { LIMITS, type Cell } from "../../../layout/layout.ts";
import { toRectangle } from "../../../layout/rectangle.ts";
import type { Choice } from "./scoring.ts";
import { wholeCell } from "../../../layout/span.ts";

const MAX_FIELDS = 2_000;

/**
 * Chooses the value of the form field that has the name of the column. The confidence is 0.95 for the column's own labels, and 0.9 for
 * another name of its concept. Returns undefined if there is none, or if it does not have the type of the column.
 */
export function formChoice(field: Field, text: DocumentText, context: Context): Choice | undefined {
  // Most documents have none, and folding the labels takes longer than everything else for a short one.
  if (text.formValues.length === 0) return undefined;
  const own = new Set(field.labels.map(joined));
  const known = new Set([...(field.concept?.names ?? []), ...(field.concept?.labels ?? [])].map(joined));
  let best: Choice | undefined;
  for (const form of text.formValues.slice(0, MAX_FIELDS)) {
    const name = joined(form.name.slice(0, 200));
    const confidence = own.has(name) ? 0.95 : known.has(name) ? 0.9 : 0;
    if (confidence === 0 || name === "" || confidence <= (best?.confidence ?? 0)) continue;
    const candidate = toCandidate(field, toCell(form), context);
    if (candidate) best = { candidate, confidence };
  }
  return best;
}

function toCandidate(field: Field, cell: Cell | undefined, context: Context): Candidate | undefined {
  if (!cell) return undefined;
  switch (field.column.type) {
    case ColumnType.NUMBER:
      return numbersIn(cell, context.mark)[0];
    case ColumnType.DATE:
      return datesIn(cell, context.order)[0];
    case ColumnType.ENUM: {
      const found = valueIn(cell.text, field.column.enumValues);
      return found && { spans: [{ cell, start: found.start, end: found.end }], value: found.value, shape: 1 };
    }
    default:
      return { spans: [wholeCell(cell)], value: cell.text, shape: 1 };
  }
}

/** Converts the value of a form field to a cell outside of any row. */
function toCell(form: FormValue): Cell | undefined {
  const text = form.value.slice(0, LIMITS.lineCharacters).trim();
  if (text === "") return undefined;
  const line = create(TextLineSchema, { text });
  const page = Math.max(1, form.page);
  return { text, tokens: tokenize(text), page, offset: 0, line, box: toRectangle(form.box), row: -1, column: 0 };
}
