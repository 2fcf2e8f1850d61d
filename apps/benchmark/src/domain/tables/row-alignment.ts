import { bestAssignment } from "./assignment.ts";
import { cellMatch } from "../cells/cell-match.ts";
import type { ComparedColumn, PreparedValue } from "../cells/cell-match.ts";

/** A row with its place in its table, and its cells in the order of the columns. */
export interface PreparedRow {
  readonly place: number;
  readonly cells: readonly (PreparedValue | null)[];
}

/** What of a column decides which rows belong together. */
export interface AlignedColumn extends ComparedColumn {
  readonly isKey: boolean;
}

/** An accepted row and the extracted row that answers it; one of them is null where there is no counterpart. */
export interface RowPair {
  readonly expected: PreparedRow | null;
  readonly actual: PreparedRow | null;
}

/** How the rows of a table found each other; "approximate" where there were too many to find the best pairing. */
export type Alignment = "position" | "keys" | "assignment" | "approximate";

/** The rows of a table in pairs: those of accepted rows in their order, then invented ones in theirs. */
export interface AlignedRows {
  readonly alignment: Alignment;
  readonly pairs: readonly RowPair[];
}

/** Beyond these an optimal pairing takes longer than a tenth of a second. */
const maxPairs = 40_000;
const maxCharacterPairs = 4e7;
/** Similarities are summed in these units, so that sums of weights are whole numbers and ties are ties. */
const similarityUnits = 128;

/** The rows of a document's own table: one to one, in the order given. */
export function alignByPosition(expected: Rows, actual: Rows): AlignedRows {
  const count = Math.max(expected.length, actual.length);
  const pairs = Array.from({ length: count }, (_, index) => ({
    expected: expected[index] ?? null,
    actual: actual[index] ?? null,
  }));
  return { alignment: "position", pairs };
}

/**
 * The rows of a table of many rows. With key columns, rows of the same key belong together, and of the rest those whose keys are at least
 * half alike, as a misread key is, or of which one has none. Else the pairing is the one with the most cells that match as typed, and of
 * those the one with the greatest similarity. Rows without any cell in common stay alone.
 */
export function alignRows(columns: readonly AlignedColumn[], expected: Rows, actual: Rows): AlignedRows {
  const keys = getIndexes(columns, ({ isKey }) => isKey);
  const all = getIndexes(columns, () => true);
  const pairing = createPairing();
  let approximate = false;
  const pairBest = (ones: Rows, others: Rows, among: readonly number[]): void => {
    if (ones.length === 0 || others.length === 0) return;
    if (canBeBest(columns, ones, others)) return pairOptimally(columns, ones, others, among, pairing);
    approximate = true;
    if (among.length === 0) pairBySharedCells(columns, ones, others, pairing);
  };
  if (keys.length > 0) {
    for (const [ones, others] of groups(expected, actual, keys)) {
      pairEqual(ones, others, all, pairing);
      pairBest(...pairing.left(ones, others), []);
    }
    const [ones, others] = pairing.left(expected, actual);
    pairBest(sortByContent(ones), sortByContent(others), keys);
  } else {
    pairEqual(expected, actual, all, pairing);
    pairBest(...pairing.left(expected, actual), []);
  }
  const found = pairing.found(expected, actual);
  return { alignment: approximate ? "approximate" : keys.length > 0 ? "keys" : "assignment", pairs: found };
}

type Rows = readonly PreparedRow[];

/** The pairs found so far. */
interface Pairing {
  readonly pair: (expected: PreparedRow, actual: PreparedRow) => void;
  /** Those of the rows that have no partner yet. */
  readonly left: (expected: Rows, actual: Rows) => [Rows, Rows];
  readonly found: (expected: Rows, actual: Rows) => RowPair[];
}

function createPairing(): Pairing {
  const partners = new Map<PreparedRow, PreparedRow>();
  const taken = new Set<PreparedRow>();
  return {
    pair: (expected, actual) => {
      partners.set(expected, actual);
      taken.add(actual);
    },
    left: (expected, actual) => [expected.filter((row) => !partners.has(row)), actual.filter((row) => !taken.has(row))],
    found: (expected, actual) => [
      ...expected.map((row) => ({ expected: row, actual: partners.get(row) ?? null })),
      ...actual.filter((row) => !taken.has(row)).map((row) => ({ expected: null, actual: row })),
    ],
  };
}

/** Pairs, in order, rows that have the same values in some columns, one at least. */
function pairEqual(expected: Rows, actual: Rows, among: readonly number[], { pair }: Pairing): void {
  for (const [ones, others] of groups(expected, actual, among))
    for (let index = 0; index < Math.min(ones.length, others.length); index += 1)
      pair(ones[index] as PreparedRow, others[index] as PreparedRow);
}

function groups(expected: Rows, actual: Rows, among: readonly number[]): [PreparedRow[], PreparedRow[]][] {
  const found = new Map<string, [PreparedRow[], PreparedRow[]]>();
  for (const row of expected) {
    const content = getContent(row, among);
    if (content === undefined) continue;
    const group = found.get(content);
    if (group) group[0].push(row);
    else found.set(content, [[row], []]);
  }
  for (const row of actual) found.get(getContent(row, among) ?? "")?.[1].push(row);
  return [...found.values()];
}

/** What a row says in some columns, or undefined where it says nothing. */
function getContent({ cells }: PreparedRow, among: readonly number[]): string | undefined {
  if (among.every((index) => !cells[index])) return undefined;
  return JSON.stringify(among.map((index) => cells[index]?.canonical ?? null));
}

function sortByContent(rows: Rows): PreparedRow[] {
  const contents = new Map(rows.map((row) => [row, JSON.stringify(row.cells.map((cell) => cell?.strict ?? null))]));
  return [...rows].sort((one, other) => ((contents.get(one) ?? "") < (contents.get(other) ?? "") ? -1 : 1));
}

/** Whether a table is small enough for comparing every row with every other: at most 40,000 pairs and 40 million of characters. */
export function canBeBest(columns: readonly AlignedColumn[], expected: Rows, actual: Rows): boolean {
  if (expected.length * actual.length > maxPairs) return false;
  const characters = (rows: Rows, index: number): number =>
    rows.reduce((sum, { cells }) => sum + 8 + (cells[index]?.text.points.length ?? 0), 0);
  const cost = columns.reduce((sum, _, index) => sum + characters(expected, index) * characters(actual, index), 0);
  return cost <= maxCharacterPairs;
}

function pairOptimally(
  columns: readonly AlignedColumn[],
  expected: Rows,
  actual: Rows,
  keys: readonly number[],
  { pair }: Pairing,
): void {
  const perCell = similarityUnits * Math.min(expected.length, actual.length) * columns.length + 1;
  const weights = expected.map((one) => actual.map((other) => pairWeight(columns, one, other, keys, perCell)));
  bestAssignment(weights).forEach((column, row) => {
    if (column >= 0 && (weights[row]?.[column] ?? 0) > 0)
      pair(expected[row] as PreparedRow, actual[column] as PreparedRow);
  });
}

/** The cells that match as typed, and as a tie-break the similarity of the others; 0 where keys are there and not alike. */
function pairWeight(
  columns: readonly AlignedColumn[],
  expected: PreparedRow,
  actual: PreparedRow,
  keys: readonly number[],
  perCell: number,
): number {
  let equal = 0;
  let similarity = 0;
  let keySimilarity = 0;
  for (let index = 0; index < columns.length; index += 1) {
    const one = expected.cells[index];
    const other = actual.cells[index];
    if (!one || !other) continue;
    const match = cellMatch(columns[index] as AlignedColumn, one, other);
    if (match.closeness === "strict" || match.closeness === "typed") equal += 1;
    else similarity += Math.round(match.similarity * similarityUnits);
    if (keys.includes(index)) keySimilarity += match.similarity;
  }
  const bothKeyed = [expected, actual].every(({ cells }) => keys.some((index) => cells[index]));
  if (bothKeyed && keySimilarity < keys.length / 2) return 0;
  return equal * perCell + similarity;
}

/**
 * For tables too large for an optimal pairing: rows that are the same but for one column, then rows that share a value, first in the
 * columns with the most different ones. It never pairs rows of which nothing matches, and finds fewer pairs than there may be.
 */
function pairBySharedCells(columns: readonly AlignedColumn[], expected: Rows, actual: Rows, pairing: Pairing): void {
  const all = columns.map((_, index) => index);
  const varieties = all.map((index) => new Set(expected.map(({ cells }) => cells[index]?.canonical)).size);
  const telling = [...all].sort((one, other) => (varieties[other] ?? 0) - (varieties[one] ?? 0));
  const allButOne = [...telling].reverse().map((without) => all.filter((index) => index !== without));
  for (const among of [...allButOne, ...telling.map((index) => [index])])
    pairEqual(...pairing.left(expected, actual), among, pairing);
}

function getIndexes(columns: readonly AlignedColumn[], wanted: (column: AlignedColumn) => boolean): number[] {
  return columns.flatMap((column, index) => (wanted(column) ? [index] : []));
}
