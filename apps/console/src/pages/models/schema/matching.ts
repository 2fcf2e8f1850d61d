import type { Matching } from "@switchyard/client";
import type { ColumnDraft } from "./draft.ts";

/** The kinds of matching that fit a type of columns. */
export function listMatchingKinds(type: ColumnDraft["type"]): readonly Matching["kind"][] {
  switch (type) {
    case "TEXT":
      return ["EXACT", "CASE_INSENSITIVE", "NUMERIC", "DATE", "EDITS"];
    case "NUMBER":
      return ["EXACT", "NUMERIC"];
    case "DATE":
      return ["EXACT", "DATE"];
    case "ENUM":
      return ["EXACT", "CASE_INSENSITIVE"];
    case "BOOLEAN":
      return ["EXACT"];
  }
}

/** Creates a matching of a kind with the limits that it needs; null for the rules of the type. */
export function createMatching(kind: Matching["kind"] | null): Matching | null {
  if (kind === null) return null;
  return {
    kind,
    absoluteTolerance: kind === "NUMERIC" ? 0.01 : null,
    relativeTolerance: null,
    maxEdits: kind === "EDITS" ? 1 : null,
  };
}

/** Gives a column another type, without the values and the matching that do not fit it. */
export function setType(column: ColumnDraft, type: ColumnDraft["type"]): ColumnDraft {
  const { enumValues, matching } = column;
  const fits = matching === null || listMatchingKinds(type).includes(matching.kind);
  return { ...column, type, enumValues: type === "ENUM" ? enumValues : [], matching: fits ? matching : null };
}
