import { ColumnType, MatchingKind } from "@switchyard/contracts/switchyard/configuration/v1/configuration";

/** When two values of a column match, as in a configuration. */
export interface Matching {
  readonly kind: MatchingKind;
  /** The maximum difference of numbers. */
  readonly absoluteTolerance?: number | undefined;
  /** The maximum difference of numbers relative to the smaller one. The greater tolerance counts. */
  readonly relativeTolerance?: number | undefined;
  /** The number of characters that may differ. */
  readonly maxEdits?: number | undefined;
}

/** The properties of a column that the comparison of its values depends on. */
export interface ComparedColumn {
  readonly type: ColumnType;
  /** Undefined for the rules of the type. */
  readonly matching?: Matching | undefined;
  /** The characters of a text that are compared. By default all, but only letters and digits of identifiers. */
  readonly characters?: "letters and digits" | "digits" | undefined;
}

/** The maximum differences of numbers. The greater one counts. */
export interface Tolerance {
  readonly absolute: number;
  readonly relative: number;
}

const defaultTolerance: Tolerance = { absolute: 0.005, relative: 0 };
const noTolerance: Tolerance = { absolute: 0, relative: 0 };

const everyType: readonly ColumnType[] = Object.values(ColumnType);

/** The types of columns that each kind of matching fits. */
const fittingTypes: ReadonlyMap<MatchingKind, readonly ColumnType[]> = new Map([
  [MatchingKind.EXACT, everyType],
  [MatchingKind.CASE_INSENSITIVE, [ColumnType.TEXT, ColumnType.ENUM]],
  [MatchingKind.NUMERIC, [ColumnType.NUMBER, ColumnType.TEXT]],
  [MatchingKind.DATE, [ColumnType.DATE, ColumnType.TEXT]],
  [MatchingKind.EDITS, [ColumnType.TEXT]],
]);

/** Returns the types of columns that a kind of matching fits, or undefined if there is no such kind. */
export function getFittingTypes(kind: MatchingKind): readonly ColumnType[] | undefined {
  return fittingTypes.get(kind);
}

/** Returns the tolerance of the numbers of a column, or undefined if its values are not compared as numbers. */
export function getTolerance({ type, matching }: ComparedColumn): Tolerance | undefined {
  if (matching?.kind === MatchingKind.NUMERIC)
    return { absolute: matching.absoluteTolerance ?? 0, relative: matching.relativeTolerance ?? 0 };
  if (type !== ColumnType.NUMBER) return undefined;
  return matching?.kind === MatchingKind.EXACT ? noTolerance : defaultTolerance;
}

/** Whether two columns compare values by the same rules. */
export function isSameMatching(one: ComparedColumn, other: ComparedColumn): boolean {
  return JSON.stringify(toParts(one)) === JSON.stringify(toParts(other));
}

function toParts({ matching }: ComparedColumn): unknown {
  if (matching === undefined) return null;
  const { kind, absoluteTolerance, relativeTolerance, maxEdits } = matching;
  return [kind, absoluteTolerance ?? null, relativeTolerance ?? null, maxEdits ?? null];
}
