import {
  ColumnType,
  ColumnTypeSchema,
  MatchingKind,
  MatchingKindSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { ColumnInput, Matching } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { getFittingTypes } from "@switchyard/matching";
import type { Violation } from "@switchyard/text";
import type { Fields } from "./schema-content.ts";

/** The maximum number of edits. */
const maxEdits = 100;
/** The kinds of matching that a field is for. */
const kindOfField = {
  absoluteTolerance: MatchingKind.NUMERIC,
  relativeTolerance: MatchingKind.NUMERIC,
  maxEdits: MatchingKind.EDITS,
} as const;

/** Validates the matching of a column: its kind must fit the type of the column, and its other fields the kind. */
export function validateMatching(path: string, { type, matching }: Fields<ColumnInput>): Violation[] {
  if (matching === undefined) return [];
  return [...validateKind(`${path}.kind`, matching, type), ...validateFields(path, matching)];
}

function validateKind(field: string, { kind }: Fields<Matching>, columnType: ColumnType): Violation[] {
  if (kind === MatchingKind.UNSPECIFIED) return [{ field, message: "is required" }];
  const fitting = getFittingTypes(kind);
  if (fitting === undefined) return [{ field, message: "is not a kind of matching" }];
  if (fitting.includes(columnType === ColumnType.UNSPECIFIED ? ColumnType.TEXT : columnType)) return [];
  const types = fitting.map((type) => ColumnTypeSchema.value[type]?.localName).join(" and ");
  return [{ field, message: `does not fit the type of the column: ${toName(kind)} is for ${types}` }];
}

function validateFields(path: string, matching: Fields<Matching>): Violation[] {
  const { kind, absoluteTolerance, relativeTolerance, maxEdits: edits } = matching;
  const isNumeric = kind === MatchingKind.NUMERIC;
  const withoutTolerance = absoluteTolerance === undefined && relativeTolerance === undefined;
  return [
    ...(absoluteTolerance === undefined || (absoluteTolerance >= 0 && Number.isFinite(absoluteTolerance))
      ? validateUse(path, "absoluteTolerance", matching)
      : [{ field: `${path}.absoluteTolerance`, message: "must be at least 0" }]),
    ...(relativeTolerance === undefined || (relativeTolerance >= 0 && relativeTolerance <= 1)
      ? validateUse(path, "relativeTolerance", matching)
      : [{ field: `${path}.relativeTolerance`, message: "must be between 0 and 1" }]),
    ...(isNumeric && withoutTolerance
      ? [{ field: path, message: "needs absoluteTolerance or relativeTolerance" }]
      : []),
    ...(edits === undefined || (edits >= 1 && edits <= maxEdits)
      ? validateUse(path, "maxEdits", matching)
      : [{ field: `${path}.maxEdits`, message: `must be between 1 and ${maxEdits}` }]),
    ...(kind === MatchingKind.EDITS && edits === undefined
      ? [{ field: `${path}.maxEdits`, message: "is required for EDITS" }]
      : []),
  ];
}

/** Validates that a field is only set for the kind that it is for. */
function validateUse(path: string, name: keyof typeof kindOfField, matching: Fields<Matching>): Violation[] {
  const needed = kindOfField[name];
  if (matching[name] === undefined || matching.kind === needed || matching.kind === MatchingKind.UNSPECIFIED) return [];
  return [{ field: `${path}.${name}`, message: `is only for ${toName(needed)}` }];
}

function toName(kind: MatchingKind): string | undefined {
  return MatchingKindSchema.value[kind]?.localName;
}
