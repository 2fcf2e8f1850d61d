import type { Value } from "@bufbuild/protobuf/wkt";

/** The value of a cell, as in JSON. */
export type Scalar = string | number | boolean | null;

/** Returns the value of a message. Lists and objects, which no column can have, become null. */
export function toScalar({ kind }: Value): Scalar {
  return kind.case === "stringValue" || kind.case === "numberValue" || kind.case === "boolValue" ? kind.value : null;
}

/** Whether there is no value: null, undefined, blank text, NaN or an empty list. */
export function isEmpty(value: unknown): value is null | undefined | "" {
  if (typeof value === "string") return value.trim() === "";
  return value === null || value === undefined || Number.isNaN(value) || (Array.isArray(value) && value.length === 0);
}
