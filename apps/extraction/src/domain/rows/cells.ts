import type { Value } from "@bufbuild/protobuf/wkt";
import { fold } from "@switchyard/text";
import type { ExtractedRow } from "@switchyard/contracts/switchyard/extraction/v1/extraction";

/** The content of a cell; null if the document has no value. */
export type Cell = string | number | boolean | null;

/** Converts a value to the content of a cell. Values of other types do not occur in columns, and are null. */
export function toCell(value: Value | undefined): Cell {
  switch (value?.kind.case) {
    case "stringValue":
    case "numberValue":
    case "boolValue":
      return value.kind.value;
    default:
      return null;
  }
}

/** Returns the content of a row's cells in columns with these slugs. */
export function toCells({ values }: Pick<ExtractedRow, "values">, slugs: readonly string[]): Cell[] {
  return slugs.map((slug) => (Object.hasOwn(values, slug) ? toCell(values[slug]) : null));
}

/** Whether a text is in the name of a file or in a text value of a row. `search` is folded; everything contains the empty text. */
export function isMatch(filename: string, { values }: Pick<ExtractedRow, "values">, search: string): boolean {
  if (search === "" || fold(filename).includes(search)) return true;
  return Object.values(values).some(({ kind }) => kind.case === "stringValue" && fold(kind.value).includes(search));
}
