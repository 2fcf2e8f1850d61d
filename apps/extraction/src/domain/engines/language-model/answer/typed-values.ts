import { create } from "@bufbuild/protobuf";
import { ValueSchema, type Value } from "@bufbuild/protobuf/wkt";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Column } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { findDates } from "@switchyard/text";
import type { DayOrder } from "@switchyard/text";
import { parseNumber, type DecimalMark } from "../../../candidates/numbers.ts";
import { parseBoolean } from "../../../candidates/words.ts";
import { collapse, fold } from "../../../fold.ts";

/** The conventions of a document for dates and numbers. */
export interface Conventions {
  readonly order: DayOrder;
  readonly mark: DecimalMark;
}

/**
 * Converts what a language model gave as a value to the type of its column: a finite number, a day that exists, one of the enum's values, a
 * Boolean, or a text with white space collapsed. A number or a day that is given as printed is parsed. Returns undefined if that is not possible.
 * Never throws.
 */
export function toTyped(
  value: string | number | boolean,
  column: Column,
  { order, mark }: Conventions,
): string | number | boolean | undefined {
  switch (column.type) {
    case ColumnType.NUMBER:
      return typeof value === "string" ? readNumber(value, mark) : typeof value === "number" ? value : undefined;
    case ColumnType.DATE:
      return typeof value === "string" ? readDay(value, order) : undefined;
    case ColumnType.BOOLEAN:
      return typeof value === "boolean" ? value : parseBoolean(String(value))?.value;
    case ColumnType.ENUM:
      return (
        column.enumValues.find((each) => each === value) ??
        column.enumValues.find((each) => fold(each) === fold(String(value)))
      );
    default: {
      const text = collapse(String(value).replace(/\p{Cc}/gu, " "));
      return text === "" ? undefined : text;
    }
  }
}

/** Creates the message of a typed value. */
export function toMessage(value: string | number | boolean): Value {
  switch (typeof value) {
    case "number":
      return create(ValueSchema, { kind: { case: "numberValue", value } });
    case "boolean":
      return create(ValueSchema, { kind: { case: "boolValue", value } });
    default:
      return create(ValueSchema, { kind: { case: "stringValue", value } });
  }
}

function readNumber(text: string, mark: DecimalMark): number | undefined {
  if (/^\s*[-+]?\d{1,15}(?:\.\d{1,12})?\s*$/u.test(text)) return Number(text);
  const found = /([-−–]?)\s?\p{Sc}?\s?(\d(?:[\d.,'’ \u00a0\u202f]*\d)?)/u.exec(text.slice(0, 60));
  const number = parseNumber(found?.[2] ?? "", mark)?.value;
  return number === undefined || !Number.isFinite(number) || found?.[2] === undefined
    ? undefined
    : found[1] === ""
      ? number
      : -number;
}

/** A day in the format of the API is taken as it is, if the calendar has it. */
function readDay(text: string, order: DayOrder): string | undefined {
  return findDates(text.slice(0, 60), order)[0]?.value;
}
