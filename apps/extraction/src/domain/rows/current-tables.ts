import { create } from "@bufbuild/protobuf";
import type { Value } from "@bufbuild/protobuf/wkt";
import type { AcceptedTable } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { ExtractedRowSchema, ExtractedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ExtractedRow, ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";

/**
 * Returns the current values of a file: its accepted values or, if these are null, the extracted ones. The rows have a confidence for each
 * value that was extracted, and no evidence. An accepted value has a confidence only if the same value was extracted at its place.
 */
export function currentTables(
  accepted: readonly AcceptedTable[] | null,
  extracted: readonly ExtractedTable[] | null,
): ExtractedTable[] {
  if (accepted === null) {
    return (extracted ?? []).map(({ slug, rows }) =>
      create(ExtractedTableSchema, { slug, rows: rows.map(({ values, confidence }) => toRow(values, confidence)) }),
    );
  }
  return accepted.map(({ slug, rows }) => {
    const same = extracted?.find((table) => table.slug === slug);
    return create(ExtractedTableSchema, {
      slug,
      rows: rows.map(({ values }, index) => toRow(values, confidenceOfSame(values, same?.rows[index]))),
    });
  });
}

function toRow(values: ExtractedRow["values"], confidence: ExtractedRow["confidence"]): ExtractedRow {
  return create(ExtractedRowSchema, { values, confidence });
}

function confidenceOfSame(values: ExtractedRow["values"], row: ExtractedRow | undefined): Record<string, number> {
  const confidence = Object.entries(row?.confidence ?? {});
  return Object.fromEntries(confidence.filter(([slug]) => isSame(values[slug], row?.values[slug])));
}

function isSame(one: Value | undefined, other: Value | undefined): boolean {
  return one?.kind.case === other?.kind.case && one?.kind.value === other?.kind.value;
}
