import { create } from "@bufbuild/protobuf";
import { ValueSchema, type Value } from "@bufbuild/protobuf/wkt";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Candidate } from "./candidates/candidate.ts";
import { parseNumber, type DecimalMark } from "./candidates/numbers.ts";
import { parseBoolean } from "./candidates/words.ts";
import { collapse } from "./fold.ts";
import type { Field } from "./concepts.ts";
import { printed } from "./layout/span.ts";

/** The maximum size of the stored values of a file, in bytes. A document of the database has at most 16 MB. */
export const maxStoredTableBytes = 12 * 1024 * 1024;

/** Creates the null value of a column for which the document has no value. */
export function nullValue(): Value {
  return create(ValueSchema, { kind: { case: "nullValue", value: 0 } });
}

/**
 * Converts a candidate to a value of the field's column type: text (with white space collapsed, and currencies as ISO codes), a finite
 * number, a date, a Boolean, or one of the enum's values. Returns undefined if that is not possible. `written` replaces the text of a text
 * column.
 */
export function toValue(candidate: Candidate, field: Field, mark: DecimalMark, written?: string): Value | undefined {
  const text = typeof candidate.value === "string" ? candidate.value : candidate.spans.map(printed).join(" ");
  switch (field.column.type) {
    case ColumnType.NUMBER: {
      const number = typeof candidate.value === "number" ? candidate.value : numberIn(text, mark);
      return number !== undefined && Number.isFinite(number)
        ? create(ValueSchema, { kind: { case: "numberValue", value: number } })
        : undefined;
    }
    case ColumnType.DATE:
      return /^\d{4}-\d{2}-\d{2}$/u.test(text) ? string(text) : undefined;
    case ColumnType.BOOLEAN: {
      const truth = parseBoolean(text);
      return truth ? create(ValueSchema, { kind: { case: "boolValue", value: truth.value } }) : undefined;
    }
    case ColumnType.ENUM:
      return field.column.enumValues.includes(text) ? string(text) : undefined;
    default: {
      if (written !== undefined && written !== "") return string(written);
      const plain = collapse(field.kind === "date" ? candidate.spans.map(printed).join(" ") : text);
      return plain === "" ? undefined : string(plain);
    }
  }
}

function numberIn(text: string, mark: DecimalMark): number | undefined {
  const printedNumber = /[-−]?\d[\d.,'’ \u00a0]*/u.exec(text.slice(0, 60))?.[0].trim().replace(/[.,]$/u, "");
  if (!printedNumber) return undefined;
  const negative = /^[-−]/u.test(printedNumber);
  const parsed = parseNumber(printedNumber.replace(/^[-−]/u, ""), mark);
  return parsed && (negative ? -parsed.value : parsed.value);
}

function string(value: string): Value {
  return create(ValueSchema, { kind: { case: "stringValue", value } });
}
