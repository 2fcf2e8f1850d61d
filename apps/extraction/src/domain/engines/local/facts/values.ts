import { create } from "@bufbuild/protobuf";
import { ValueSchema, type Value } from "@bufbuild/protobuf/wkt";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { TextSource, type Fact } from "@switchyard/contracts/switchyard/extraction/v1/document";
import {
  EvidenceSchema,
  PrintedPlaceSchema,
  type Evidence,
} from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Field } from "../../../concepts.ts";
import { collapse, fold } from "../../../fold.ts";

/** Converts a fact to a value of a field's column type. Returns undefined if that is not possible. */
export function toFactValue({ value }: Fact, { column }: Field): Value | undefined {
  switch (column.type) {
    case ColumnType.NUMBER: {
      const number = value.trim() === "" ? Number.NaN : Number(value);
      return Number.isFinite(number)
        ? create(ValueSchema, { kind: { case: "numberValue", value: number } })
        : undefined;
    }
    case ColumnType.DATE:
      return /^\d{4}-\d{2}-\d{2}$/u.test(value) ? toText(value) : undefined;
    case ColumnType.BOOLEAN:
      return undefined;
    case ColumnType.ENUM: {
      const known =
        column.enumValues.find((each) => each === value) ??
        column.enumValues.find((each) => fold(each) === fold(value));
      return known === undefined ? undefined : toText(known);
    }
    default: {
      const text = collapse(value);
      return text === "" ? undefined : toText(text);
    }
  }
}

/**
 * Creates the evidence of a value that XML states: the element, and the place where the document prints the same value, if it does. `contrary`
 * is where it prints another one.
 */
export function toFactEvidence(fact: Fact, same: Evidence | undefined, contrary: Evidence | undefined): Evidence {
  return create(EvidenceSchema, {
    quote: fact.value,
    source: TextSource.XML,
    element: fact.element,
    ...(fact.attachment === "" ? {} : { attachment: fact.attachment }),
    ...(same?.page === undefined ? {} : { page: same.page }),
    ...(same?.box === undefined ? {} : { box: same.box }),
    contradicts: contrary === undefined ? [] : [toPlace(contrary)],
  });
}

function toPlace({ page, quote, box }: Evidence) {
  return create(PrintedPlaceSchema, {
    ...(page === undefined ? {} : { page }),
    ...(quote === undefined ? {} : { quote }),
    ...(box === undefined ? {} : { box }),
  });
}

function toText(value: string): Value {
  return create(ValueSchema, { kind: { case: "stringValue", value } });
}
