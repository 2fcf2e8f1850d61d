import fc from "fast-check";
import { getPropertySeed } from "@switchyard/matching/testing";
import { computeAnlsStar } from "../../testing/anls-star.ts";
import { countAccepted, countExtracted, getRates } from "../cells/cell-counts.ts";
import { createConfiguration, scoreValues } from "../../testing/scoring.ts";
import type { Tables } from "../../testing/scoring.ts";

const seed = getPropertySeed();
const runs = { seed, numRuns: 200 };

const configuration = createConfiguration({
  document: [["name"], ["total", "NUMBER"], ["day", "DATE"], ["paid", "BOOLEAN"]],
  keyed: [["key", "TEXT", { isKey: true }], ["what"], ["amount", "NUMBER"]],
  free: [["one"], ["other"], ["note"]],
});

const words = fc.constantFrom("apple", "apples", "pear", "plum cake", "Zebra", "x", "", null);
const number = fc.constantFrom(0, 1, 2, 2.004, 100, null);
const document = fc.record({
  name: words,
  total: number,
  day: fc.constantFrom("2024-01-02", "2024-02-01", null),
  paid: fc.constantFrom(true, false, null),
});
const free = fc.array(fc.record({ one: words, other: words, note: words }), { maxLength: 5 });
const keyed = fc
  .uniqueArray(fc.constantFrom("K-100", "L-255", "M-371", "N-499", "O-568"), { maxLength: 5 })
  .chain((keys) => fc.tuple(...keys.map((key) => fc.record({ key: fc.constant(key), what: words, amount: number }))));
const tables: fc.Arbitrary<Tables> = fc.record({
  document: fc.array(document, { minLength: 1, maxLength: 1 }),
  keyed: keyed,
  free,
});

function shuffle<Item>(items: readonly Item[], order: readonly number[]): Item[] {
  return items
    .map((item, index) => ({ item, place: order[index % order.length]! }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

/** Returns the maximum number of cells that can match, by trying all pairings of rows. */
function countMatchingCells(expected: Tables[string], actual: Tables[string]): number {
  const [first, ...rest] = expected;
  if (!first) return 0;
  const choices = actual.map((row, index) => {
    const equal = Object.keys(first).filter(
      (key) => first[key] && row[key] && equals(first[key] as string, row[key] as string),
    );
    return equal.length + countMatchingCells(rest, actual.toSpliced(index, 1));
  });
  return Math.max(countMatchingCells(rest, actual), ...choices);
}

const equals = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

describe(`any file (SWITCHYARD_TEST_SEED=${String(seed)})`, () => {
  it("is exact if the accepted values were extracted, with rows in any order", () => {
    fc.assert(
      fc.property(tables, fc.array(fc.nat(), { minLength: 5 }), (expected, order) => {
        const actual = {
          ...expected,
          keyed: shuffle(expected["keyed"]!, order),
          free: shuffle(expected["free"]!, order),
        };
        const score = scoreValues(configuration, expected, actual);
        expect(score).toMatchObject({ exact: true, anls: 1 });
        expect(getRates(score.counts, "strict")).toEqual({ precision: 1, recall: 1, f1: 1 });
        expect(score.cells.every(({ similarity }) => similarity === 1)).toBe(true);
      }),
      runs,
    );
  });

  it("has counts that do not depend on the order of extracted rows with keys", () => {
    fc.assert(
      fc.property(tables, tables, fc.array(fc.nat(), { minLength: 5 }), (expected, actual, order) => {
        const reordered = { ...actual, keyed: shuffle(actual["keyed"]!, order) };
        const one = scoreValues(configuration, expected, actual);
        const other = scoreValues(configuration, expected, reordered);
        expect(other.counts).toEqual(one.counts);
        expect(other.anls).toBeCloseTo(one.anls, 9);
      }),
      runs,
    );
  });

  it("has the maximum number of correct values for rows without keys", () => {
    fc.assert(
      fc.property(free, free, (expected, actual) => {
        const score = scoreValues(configuration, { free: expected }, { free: actual });
        expect(score.counts.outcomes.correct).toBe(countMatchingCells(expected, actual));
      }),
      runs,
    );
  });

  it("swaps missing and invented, precision and recall if expected and actual are swapped", () => {
    fc.assert(
      fc.property(tables, tables, (expected, actual) => {
        const { counts, anls } = scoreValues(configuration, expected, actual);
        const swapped = scoreValues(configuration, actual, expected);
        expect(swapped.counts.outcomes.correct).toBe(counts.outcomes.correct);
        expect(swapped.counts.strict).toBe(counts.strict);
        expect(countAccepted(swapped.counts)).toBe(countExtracted(counts));
        expect(countExtracted(swapped.counts)).toBe(countAccepted(counts));
        expect(getRates(swapped.counts).f1).toBe(getRates(counts).f1);
        expect(swapped.anls).toBeCloseTo(anls, 9);
      }),
      runs,
    );
  });

  it("has metrics between 0 and 1, increasing from strict to typed to soft, and counts every value once", () => {
    fc.assert(
      fc.property(tables, tables, (expected, actual) => {
        const { counts, cells, anls, exact } = scoreValues(configuration, expected, actual);
        expect(anls >= 0 && anls <= 1).toBe(true);
        expect(counts.strict <= counts.outcomes.correct && counts.outcomes.correct <= counts.soft).toBe(true);
        for (const match of ["strict", "typed", "soft"] as const)
          for (const figure of Object.values(getRates(counts, match))) expect(figure >= 0 && figure <= 1).toBe(true);
        const values = (some: Tables) =>
          Object.values(some)
            .flat()
            .flatMap((row) => Object.values(row))
            .filter((value) => value !== null && value !== "");
        expect(countAccepted(counts)).toBe(values(expected).length);
        expect(countExtracted(counts)).toBe(values(actual).length);
        expect(new Set(cells.map((cell) => `${cell.columnId} ${String(cell.row)}`)).size).toBe(cells.length);
        expect(exact).toBe(cells.every(({ outcome }) => outcome.startsWith("correct")));
      }),
      runs,
    );
  });

  it("has the ANLS* of its trees", () => {
    const filled = fc.record({ one: words, other: words, note: fc.constant("n") });
    fc.assert(
      fc.property(
        document,
        document,
        fc.array(filled, { maxLength: 4 }),
        fc.array(filled, { maxLength: 4 }),
        (one, other, expected, actual) => {
          const { anls } = scoreValues(
            configuration,
            { document: [one], free: expected },
            { document: [other], free: actual },
          );
          expect(anls).toBeCloseTo(computeAnlsStar({ one, expected }, { one: other, expected: actual }), 9);
        },
      ),
      runs,
    );
  });

  it("does not depend on rows and columns without values", () => {
    fc.assert(
      fc.property(tables, tables, (expected, actual) => {
        const padded = { ...actual, free: [{}, ...actual["free"]!, { one: null, unknown: "a" }], unknown: [{ a: 1 }] };
        const { counts, anls } = scoreValues(configuration, expected, padded);
        expect(counts).toEqual(scoreValues(configuration, expected, actual).counts);
        expect(anls).toBe(scoreValues(configuration, expected, actual).anls);
      }),
      runs,
    );
  });
});
