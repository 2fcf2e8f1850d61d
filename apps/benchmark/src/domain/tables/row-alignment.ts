import { matchCells } from "@switchyard/matching";
import type { ComparedColumn, PreparedValue } from "@switchyard/matching";
import { findBestAssignment } from "./assignment.ts";

/** A row with its index in the table, and its cells in the order of the columns: null without a value, undefined if not labeled. */
export interface PreparedRow {
  readonly place: number;
  readonly cells: readonly (PreparedValue | null | undefined)[];
}

/** The properties of a column that the alignment of rows depends on. */
export interface AlignedColumn extends ComparedColumn {
  readonly isKey: boolean;
}

/** An accepted row and the corresponding extracted row. One of them is null if there is no counterpart. */
export interface RowPair {
  readonly expected: PreparedRow | null;
  readonly actual: PreparedRow | null;
}

/** The method of alignment. It is "approximate" if there were too many rows for an optimal pairing. */
export type Alignment = "position" | "keys" | "assignment" | "approximate";

/** The pairs of rows of a table: those of accepted rows in their order, then invented rows in theirs. */
export interface AlignedRows {
  readonly alignment: Alignment;
  readonly pairs: readonly RowPair[];
}

/** Beyond these limits, an optimal pairing takes longer than a tenth of a second. */
const maxPairs = 40_000;
const maxCharacterPairs = 4e7;
/** All groups of rows with the same key together may have this many times as much. */
const maxGroupsCost = 10;
/** The units per 1 in which similarities are summed, so that weights are integers and ties are exact. */
const similarityUnits = 128;

/** Pairs the rows of the primary table in the given order. */
export function alignByPosition(expected: Rows, actual: Rows): AlignedRows {
  const count = Math.max(expected.length, actual.length);
  const pairs = Array.from({ length: count }, (_, index) => ({
    expected: expected[index] ?? null,
    actual: actual[index] ?? null,
  }));
  return { alignment: "position", pairs };
}

/**
 * Pairs the rows of a table with any number of rows. With key columns, rows with the same key are paired; then rows whose keys have a
 * similarity of at least one half, such as misread keys, or of which one has no key. Otherwise, the pairing has the maximum number of
 * cells that match as typed, and then the maximum similarity. Rows without a common cell are not paired. Cells that are not labeled
 * decide nothing.
 */
export function alignRows(columns: readonly AlignedColumn[], expected: Rows, actual: Rows): AlignedRows {
  const keys = findIndexes(columns, ({ isKey }) => isKey);
  const all = findIndexes(columns, () => true);
  const pairing = createPairing();
  let approximate = false;
  let left = maxGroupsCost;
  const pairBest = (ones: Rows, others: Rows, indexes: readonly number[]): void => {
    if (ones.length === 0 || others.length === 0) return;
    const cost = computeCost(columns, ones, others);
    if (cost <= Math.min(1, left)) {
      left -= cost;
      return pairOptimally(columns, ones, others, indexes, pairing);
    }
    approximate = true;
    if (indexes.length === 0) pairBySharedCells(columns, ones, others, pairing);
  };
  if (keys.length > 0) {
    for (const [ones, others] of groupByContent(expected, actual, (row) => toContent(row, keys))) {
      pairEqual(ones, others, all, pairing);
      pairBest(...pairing.getUnpaired(ones, others), []);
    }
    const [ones, others] = pairing.getUnpaired(expected, actual);
    pairBest(sortByContent(ones), sortByContent(others), keys);
  } else {
    pairEqual(expected, actual, all, pairing);
    pairBest(...pairing.getUnpaired(expected, actual), []);
  }
  const found = pairing.toPairs(expected, actual);
  return { alignment: approximate ? "approximate" : keys.length > 0 ? "keys" : "assignment", pairs: found };
}

type Rows = readonly PreparedRow[];

/** The pairs that have been found. */
interface Pairing {
  readonly pair: (expected: PreparedRow, actual: PreparedRow) => void;
  /** Returns the rows that are not paired yet. */
  readonly getUnpaired: (expected: Rows, actual: Rows) => [Rows, Rows];
  /** Returns all rows as pairs. */
  readonly toPairs: (expected: Rows, actual: Rows) => RowPair[];
}

function createPairing(): Pairing {
  const partners = new Map<PreparedRow, PreparedRow>();
  const taken = new Set<PreparedRow>();
  return {
    pair: (expected, actual) => {
      partners.set(expected, actual);
      taken.add(actual);
    },
    getUnpaired: (expected, actual) => [
      expected.filter((row) => !partners.has(row)),
      actual.filter((row) => !taken.has(row)),
    ],
    toPairs: (expected, actual) => [
      ...expected.map((row) => ({ expected: row, actual: partners.get(row) ?? null })),
      ...actual.filter((row) => !taken.has(row)).map((row) => ({ expected: null, actual: row })),
    ],
  };
}

/** Returns what rows are compared by, or undefined for those that equal no other. */
type ToContent = (row: PreparedRow) => string | undefined;

/** Pairs rows, in order, that have the same content. */
function pairSame(expected: Rows, actual: Rows, toRowContent: ToContent, { pair }: Pairing): void {
  for (const [ones, others] of groupByContent(expected, actual, toRowContent))
    for (let index = 0; index < Math.min(ones.length, others.length); index += 1)
      pair(ones[index] as PreparedRow, others[index] as PreparedRow);
}

/** Pairs rows, in order, that have the same values in the given columns, of which at least one is not empty. */
function pairEqual(expected: Rows, actual: Rows, indexes: readonly number[], pairing: Pairing): void {
  pairSame(expected, actual, (row) => toContent(row, indexes), pairing);
}

function groupByContent(
  expected: Rows,
  actual: Rows,
  toRowContent: ToContent,
): (readonly [PreparedRow[], PreparedRow[]])[] {
  const found = new Map<string, [PreparedRow[], PreparedRow[]]>();
  for (const row of expected) {
    const content = toRowContent(row);
    if (content === undefined) continue;
    const group = found.get(content);
    if (group) group[0].push(row);
    else found.set(content, [[row], []]);
  }
  for (const row of actual) found.get(toRowContent(row) ?? "")?.[1].push(row);
  return [...found.values()];
}

/** Returns the content of a row in the given columns, or undefined if all are empty or one is not labeled. */
function toContent({ cells }: PreparedRow, indexes: readonly number[]): string | undefined {
  if (indexes.some((index) => cells[index] === undefined)) return undefined;
  if (indexes.every((index) => !cells[index])) return undefined;
  return JSON.stringify(indexes.map((index) => cells[index]?.canonical ?? null));
}

function sortByContent(rows: Rows): PreparedRow[] {
  const contents = new Map(rows.map((row) => [row, JSON.stringify(row.cells.map((cell) => cell?.strict ?? null))]));
  return [...rows].sort((one, other) => ((contents.get(one) ?? "") < (contents.get(other) ?? "") ? -1 : 1));
}

/** Whether a table is small enough to compare all pairs of rows: at most 40,000 pairs of rows and 40 million pairs of characters. */
export function canAlignOptimally(columns: readonly AlignedColumn[], expected: Rows, actual: Rows): boolean {
  return computeCost(columns, expected, actual) <= 1;
}

/** Computes how much an optimal pairing costs, of what is allowed. */
function computeCost(columns: readonly AlignedColumn[], expected: Rows, actual: Rows): number {
  const pairs = (expected.length * actual.length) / maxPairs;
  if (pairs > 1) return pairs;
  const count = (rows: Rows, index: number): number =>
    rows.reduce((sum, { cells }) => sum + 8 + (cells[index]?.text.points.length ?? 0), 0);
  const characters = columns.reduce((sum, _, index) => sum + count(expected, index) * count(actual, index), 0);
  return Math.max(pairs, characters / maxCharacterPairs);
}

function pairOptimally(
  columns: readonly AlignedColumn[],
  expected: Rows,
  actual: Rows,
  keys: readonly number[],
  { pair }: Pairing,
): void {
  const perCell = similarityUnits * Math.min(expected.length, actual.length) * columns.length + 1;
  const weights = expected.map((one) => actual.map((other) => computeWeight(columns, one, other, keys, perCell)));
  findBestAssignment(weights).forEach((column, row) => {
    if (column >= 0 && (weights[row]?.[column] ?? 0) > 0)
      pair(expected[row] as PreparedRow, actual[column] as PreparedRow);
  });
}

/** Computes the weight of a pair: the number of cells that match as typed, then the similarity of the others. It is 0 if the keys differ. */
function computeWeight(
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
    const match = matchCells(columns[index] as AlignedColumn, one, other);
    if (match.closeness === "strict" || match.closeness === "typed") equal += 1;
    else similarity += Math.round(match.similarity * similarityUnits);
    if (keys.includes(index)) keySimilarity += match.similarity;
  }
  const bothHaveKeys = [expected, actual].every(({ cells }) => keys.some((index) => cells[index]));
  const labeledKeys = keys.filter((index) => expected.cells[index] !== undefined);
  if (bothHaveKeys && keySimilarity < labeledKeys.length / 2) return 0;
  return equal * perCell + similarity;
}

/**
 * Pairs the rows of tables that are too large for an optimal pairing: first rows that differ in one column, then rows that share a value,
 * beginning with the columns with the most distinct values. It never pairs rows without a match, and may miss pairs.
 */
function pairBySharedCells(columns: readonly AlignedColumn[], expected: Rows, actual: Rows, pairing: Pairing): void {
  const all = columns.map((_, index) => index);
  const varieties = all.map((index) => new Set(expected.map(({ cells }) => cells[index]?.canonical)).size);
  const byVariety = [...all].sort((one, other) => (varieties[other] ?? 0) - (varieties[one] ?? 0));
  const toContentWithout = createContents([...expected, ...actual]);
  for (const index of [...byVariety].reverse())
    pairSame(...pairing.getUnpaired(expected, actual), (row) => toContentWithout(row, index), pairing);
  for (const index of byVariety) pairEqual(...pairing.getUnpaired(expected, actual), [index], pairing);
}

/**
 * Returns the function that gives the content of a row in all columns but one, or undefined if all of these are empty or one is not labeled. The
 * content is a combination of 64-bit hashes of the cells, so that leaving one out costs nothing.
 */
function createContents(rows: Rows): (row: PreparedRow, without: number) => string | undefined {
  const known = new Map<string, readonly [number, number]>();
  const hash = (canonical: string, index: number): readonly [number, number] => {
    const key = `${index} ${canonical}`;
    const found = known.get(key) ?? [mix(2 * known.size + 1), mix(2 * known.size + 2)];
    known.set(key, found);
    return found;
  };
  const contents = new Map(
    rows.map(({ cells }) => {
      const hashes = cells.map((cell, index) => (cell ? hash(cell.canonical, index) : ([0, 0] as const)));
      const unlabeled = cells.filter((cell) => cell === undefined).length;
      const filled = cells.filter((cell) => cell).length;
      const [one, other] = hashes.reduce(([one, other], [first, second]) => [one ^ first, other ^ second], [0, 0]);
      return [cells, { hashes, unlabeled, filled, one, other }] as const;
    }),
  );
  return ({ cells }, without) => {
    const content = contents.get(cells);
    if (content === undefined) return undefined;
    const { hashes, unlabeled, filled, one, other } = content;
    if (unlabeled > (cells[without] === undefined ? 1 : 0) || filled === (cells[without] ? 1 : 0)) return undefined;
    const [first, second] = hashes[without] ?? [0, 0];
    return `${one ^ first} ${other ^ second}`;
  };
}

/** Returns a number of 32 bits that looks random: the final mix of MurmurHash3. */
function mix(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function findIndexes(columns: readonly AlignedColumn[], wanted: (column: AlignedColumn) => boolean): number[] {
  return columns.flatMap((column, index) => (wanted(column) ? [index] : []));
}
