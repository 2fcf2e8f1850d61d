import fc from "fast-check";
import { anlsStar } from "./anls-star.ts";
import { acceptedIn, extractedIn, rates } from "../cells/cell-counts.ts";
import { createConfiguration, propertySeed, getScore } from "../../testing/scoring.ts";
import type { Tables } from "../../testing/scoring.ts";

const seed = propertySeed();
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

function shuffled<Item>(items: readonly Item[], order: readonly number[]): Item[] {
  return items
    .map((item, index) => ({ item, place: order[index % order.length]! }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

/** The most cells that can match when rows are paired, by trying everything. */
function countEqualRows(expected: Tables[string], actual: Tables[string]): number {
  const [first, ...rest] = expected;
  if (!first) return 0;
  const choices = actual.map((row, index) => {
    const equal = Object.keys(first).filter(
      (key) => first[key] && row[key] && equals(first[key] as string, row[key] as string),
    );
    return equal.length + countEqualRows(rest, actual.toSpliced(index, 1));
  });
  return Math.max(countEqualRows(rest, actual), ...choices);
}

const equals = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

describe(`any file (PROPERTY_SEED=${String(seed)})`, () => {
  it("is right when what was accepted was extracted, rows in any order", () => {
    fc.assert(
      fc.property(tables, fc.array(fc.nat(), { minLength: 5 }), (expected, order) => {
        const actual = {
          ...expected,
          keyed: shuffled(expected["keyed"]!, order),
          free: shuffled(expected["free"]!, order),
        };
        const score = getScore(configuration, expected, actual);
        expect(score).toMatchObject({ exact: true, anls: 1 });
        expect(rates(score.counts, "strict")).toEqual({ precision: 1, recall: 1, f1: 1 });
        expect(score.cells.every(({ similarity }) => similarity === 1)).toBe(true);
      }),
      runs,
    );
  });

  it("has the same counts whatever the order of extracted rows with keys", () => {
    fc.assert(
      fc.property(tables, tables, fc.array(fc.nat(), { minLength: 5 }), (expected, actual, order) => {
        const turned = { ...actual, keyed: shuffled(actual["keyed"]!, order) };
        const one = getScore(configuration, expected, actual);
        const other = getScore(configuration, expected, turned);
        expect(other.counts).toEqual(one.counts);
        expect(other.anls).toBeCloseTo(one.anls, 9);
      }),
      runs,
    );
  });

  it("has as many right values whatever the order of rows without keys: the most that there can be", () => {
    fc.assert(
      fc.property(free, free, (expected, actual) => {
        const score = getScore(configuration, { free: expected }, { free: actual });
        expect(score.counts.outcomes.correct).toBe(countEqualRows(expected, actual));
      }),
      runs,
    );
  });

  it("swaps missing and invented, precision and recall when expected and actual are swapped", () => {
    fc.assert(
      fc.property(tables, tables, (expected, actual) => {
        const { counts, anls } = getScore(configuration, expected, actual);
        const swapped = getScore(configuration, actual, expected);
        expect(swapped.counts.outcomes.correct).toBe(counts.outcomes.correct);
        expect(swapped.counts.strict).toBe(counts.strict);
        expect(acceptedIn(swapped.counts)).toBe(extractedIn(counts));
        expect(extractedIn(swapped.counts)).toBe(acceptedIn(counts));
        expect(rates(swapped.counts).f1).toBe(rates(counts).f1);
        expect(swapped.anls).toBeCloseTo(anls, 9);
      }),
      runs,
    );
  });

  it("has figures between 0 and 1, strict ones below typed ones below soft ones, and counts every value once", () => {
    fc.assert(
      fc.property(tables, tables, (expected, actual) => {
        const { counts, cells, anls, exact } = getScore(configuration, expected, actual);
        expect(anls >= 0 && anls <= 1).toBe(true);
        expect(counts.strict <= counts.outcomes.correct && counts.outcomes.correct <= counts.soft).toBe(true);
        for (const match of ["strict", "typed", "soft"] as const)
          for (const figure of Object.values(rates(counts, match))) expect(figure >= 0 && figure <= 1).toBe(true);
        const values = (some: Tables) =>
          Object.values(some)
            .flat()
            .flatMap((row) => Object.values(row))
            .filter((value) => value !== null && value !== "");
        expect(acceptedIn(counts)).toBe(values(expected).length);
        expect(extractedIn(counts)).toBe(values(actual).length);
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
          const { anls } = getScore(
            configuration,
            { document: [one], free: expected },
            { document: [other], free: actual },
          );
          expect(anls).toBeCloseTo(anlsStar({ one, expected }, { one: other, expected: actual }), 9);
        },
      ),
      runs,
    );
  });

  it("does not change by rows and columns without values", () => {
    fc.assert(
      fc.property(tables, tables, (expected, actual) => {
        const padded = { ...actual, free: [{}, ...actual["free"]!, { one: null, unknown: "a" }], unknown: [{ a: 1 }] };
        const { counts, anls } = getScore(configuration, expected, padded);
        expect(counts).toEqual(getScore(configuration, expected, actual).counts);
        expect(anls).toBe(getScore(configuration, expected, actual).anls);
      }),
      runs,
    );
  });
});
