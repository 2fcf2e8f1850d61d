import { ColumnType, MatchingKind } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import fc from "fast-check";
import { isEqualValue, matchCells, prepareValue } from "./cell-match.ts";
import { getFittingTypes, isSameMatching } from "./column-matching.ts";
import type { ComparedColumn, Matching } from "./column-matching.ts";
import type { Scalar } from "./scalar.ts";
import { getPropertySeed } from "./testing/seed.ts";

const seed = getPropertySeed();

type TypeName = "TEXT" | "NUMBER" | "DATE" | "BOOLEAN" | "ENUM";

function match(type: TypeName, expected: Scalar, actual: Scalar, more: Omit<ComparedColumn, "type"> = {}): string {
  const column = { type: ColumnType[type], ...more };
  const [one, other] = [prepareValue(column, expected), prepareValue(column, actual)];
  return one && other ? matchCells(column, one, other).closeness : "empty";
}

describe("a cell", () => {
  it.each<[TypeName, Scalar, Scalar, string]>([
    ["TEXT", "Acme", " Acme\n", "strict"],
    ["TEXT", "Ame\u0301lie", "Am\u00e9lie", "strict"],
    ["TEXT", "ACME  Ltd.", "Acme Ltd", "typed"],
    ["TEXT", "Große", "GROSSE", "typed"],
    ["TEXT", "“Acme”", "Acme", "typed"],
    ["TEXT", "-5", "5", "soft"],
    ["TEXT", "50 %", "50", "soft"],
    ["TEXT", "---", "--", "soft"],
    ["TEXT", "Acme", "Acne", "soft"],
    ["TEXT", "Acme", "Zebra", "none"],
    ["TEXT", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "typed"],
    ["TEXT", "DE89 3704 0044 0532 0130 00", "DE 8937 0400 4405 3201 3000", "typed"],
    ["TEXT", "BE 0123.456.789", "BE0123456789", "typed"],
    ["TEXT", "INV-2024/001", "INV2024001", "typed"],
    ["TEXT", "2024-11-1", "2024-1-11", "soft"],
    ["TEXT", "MAIN STREET 12 3", "MAIN STREET 123", "soft"],
    ["TEXT", "1234.50", "12345.0", "soft"],
    ["NUMBER", 12.5, "12.50", "typed"],
    ["NUMBER", 12.5, 12.5, "strict"],
    ["NUMBER", "1,234.50", "1.234,50 €", "typed"],
    ["NUMBER", 1234, "1,234", "typed"],
    ["NUMBER", -5, "(5.00)", "typed"],
    ["NUMBER", -5, 5, "soft"],
    ["NUMBER", 0.1 + 0.2, 0.3, "typed"],
    ["NUMBER", 10.005, 10.01, "typed"],
    ["NUMBER", 10, 10.006, "none"],
    ["NUMBER", 4006381333931, 4006381333934, "soft"],
    ["NUMBER", 999_999_999_999.995, 1e12, "typed"],
    ["NUMBER", "n/a", "n/a", "strict"],
    ["NUMBER", "about ten", 10, "none"],
    ["DATE", "2024-05-01", "2024-05-01T10:00:00Z", "typed"],
    ["DATE", "2024-01-02", "2024-02-01", "soft"],
    ["BOOLEAN", true, "TRUE", "typed"],
    ["BOOLEAN", true, false, "none"],
    ["ENUM", "INVOICE", "invoice", "typed"],
    ["ENUM", "INVOICE", "INVOICES", "none"],
    ["TEXT", "", "x", "empty"],
    ["TEXT", " \u00a0", "x", "empty"],
    ["NUMBER", NaN, 1, "empty"],
  ])("of type %s: %j and %j match: %s", (type, expected, actual, expectation) => {
    expect(match(type, expected, actual)).toBe(expectation);
    expect(match(type, actual, expected)).toBe(expectation);
  });

  it("treats 0 and false as values", () => {
    expect(match("NUMBER", 0, 0)).toBe("strict");
    expect(match("BOOLEAN", false, false)).toBe("strict");
  });

  const matchings = {
    exact: { kind: MatchingKind.EXACT },
    caseless: { kind: MatchingKind.CASE_INSENSITIVE },
    cent: { kind: MatchingKind.NUMERIC, absoluteTolerance: 0.01 },
    percent: { kind: MatchingKind.NUMERIC, relativeTolerance: 0.01 },
    either: { kind: MatchingKind.NUMERIC, absoluteTolerance: 1, relativeTolerance: 0.01 },
    date: { kind: MatchingKind.DATE },
    edits: { kind: MatchingKind.EDITS, maxEdits: 2 },
  } satisfies Record<string, Matching>;

  it.each<[keyof typeof matchings, TypeName, Scalar, Scalar, string]>([
    ["exact", "TEXT", "Acme", " Acme ", "strict"],
    ["exact", "TEXT", "Acme", "ACME", "soft"],
    ["exact", "TEXT", "Acme Ltd.", "Acme Ltd", "soft"],
    ["exact", "TEXT", "DE89 3704 0044", "DE8937040044", "soft"],
    ["exact", "NUMBER", 12.5, 12.504, "soft"],
    ["exact", "NUMBER", 0.1 + 0.2, 0.3, "typed"],
    ["exact", "ENUM", "Paid", "PAID", "none"],
    ["caseless", "TEXT", "Straße", "STRASSE", "typed"],
    ["caseless", "TEXT", "Acme Ltd.", "acme ltd", "soft"],
    ["caseless", "TEXT", "DE89 3704 0044", "DE8937040044", "soft"],
    ["caseless", "ENUM", "Paid", "PAID", "typed"],
    ["cent", "NUMBER", 10, 10.01, "typed"],
    ["cent", "NUMBER", 10, 10.011, "none"],
    ["cent", "TEXT", "RM 1,234.50", "1234.51", "typed"],
    ["cent", "TEXT", "ten", "TEN.", "typed"],
    ["cent", "TEXT", "10", "ten", "none"],
    ["percent", "NUMBER", 100, 101, "typed"],
    ["percent", "NUMBER", 100, 101.1, "none"],
    ["percent", "NUMBER", 0, 0.001, "none"],
    ["either", "NUMBER", 10, 11, "typed"],
    ["either", "NUMBER", 1000, 1010, "typed"],
    ["either", "NUMBER", 1000, 1011, "soft"],
    ["either", "NUMBER", 100, 129, "none"],
    ["percent", "NUMBER", 4006381333931, 4046445147270.31, "typed"],
    ["date", "DATE", "2024-05-01", "2024-05-01", "strict"],
    ["date", "TEXT", "25/12/2018", "2018-12-25", "typed"],
    ["date", "TEXT", "25 Dec 2018", "25.12.2018 14:03", "typed"],
    ["date", "TEXT", "02/01/2024", "01/02/2024", "soft"],
    ["date", "TEXT", "25/12/2018 - 26/12/2018", "25/12/2018", "none"],
    ["date", "TEXT", "Today", "today", "typed"],
    ["edits", "TEXT", "12 Main Street", "12 Maim Streat", "typed"],
    ["edits", "TEXT", "12 Main Street", "12 Maim Strea", "soft"],
    ["edits", "TEXT", "“12 Main Street”", "12 MAIN  STREET", "typed"],
    ["edits", "TEXT", "AB", "CD", "none"],
    ["edits", "TEXT", "ABCD", "ABXY", "typed"],
  ])("with the matching %s, in a %s column: %j and %j match: %s", (name, type, expected, actual, expectation) => {
    const matching = matchings[name];
    expect(match(type, expected, actual, { matching })).toBe(expectation);
    expect(match(type, actual, expected, { matching })).toBe(expectation);
    const right = expectation === "strict" || expectation === "typed";
    expect(isEqualValue({ type: ColumnType[type], matching }, expected, actual)).toBe(right);
  });

  it("is equal to another empty one, and to no value", () => {
    const column = { type: ColumnType.TEXT, matching: matchings.exact };
    expect(isEqualValue(column, null, "")).toBe(true);
    expect(isEqualValue(column, undefined, "Acme")).toBe(false);
    expect(isEqualValue(column, "Acme", null)).toBe(false);
  });

  it("is compared by the same rules in columns whose matchings have the same fields", () => {
    const of = (matching: Matching | undefined): ComparedColumn => ({ type: ColumnType.NUMBER, matching });
    const cent: Matching = { maxEdits: undefined, absoluteTolerance: 0.01, kind: MatchingKind.NUMERIC };
    expect(isSameMatching(of(matchings.cent), of(cent))).toBe(true);
    expect(isSameMatching(of(matchings.cent), of(matchings.percent))).toBe(false);
    expect(isSameMatching(of(undefined), of(matchings.exact))).toBe(false);
    expect(isSameMatching(of(undefined), { type: ColumnType.NUMBER })).toBe(true);
  });

  it("compares all characters if there are none of those that count", () => {
    expect(match("TEXT", "one", "two", { characters: "digits" })).toBe("none");
    expect(match("TEXT", "?!?", "---", { characters: "letters and digits" })).toBe("none");
  });
});

describe(`any two values (SWITCHYARD_TEST_SEED=${String(seed)})`, () => {
  const scalar = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(..."0123456789.,-/ ADE€()"), maxLength: 12 }),
    fc.double(),
    fc.boolean(),
  );
  const type = fc.constantFrom<TypeName>("TEXT", "NUMBER", "DATE", "BOOLEAN", "ENUM");
  const anyMatching = fc.option(
    fc.record({
      kind: fc.constantFrom(...Object.values(MatchingKind)),
      absoluteTolerance: fc.double({ min: 0, max: 10, noNaN: true }),
      maxEdits: fc.nat({ max: 5 }),
    }),
    { nil: undefined },
  );

  it("match symmetrically, with a similarity between 0 and 1, and every value matches itself", () => {
    fc.assert(
      fc.property(type, scalar, scalar, anyMatching, (name, expected, actual, given) => {
        const matching = given && getFittingTypes(given.kind)?.includes(ColumnType[name]) ? given : undefined;
        const column = { type: ColumnType[name], matching };
        const [one, other] = [prepareValue(column, expected), prepareValue(column, actual)];
        if (!one || !other) return;
        const match = matchCells(column, one, other);
        expect(match).toEqual(matchCells(column, other, one));
        expect(match.similarity >= 0 && match.similarity <= 1).toBe(true);
        expect(match.similarity > 0).toBe(match.closeness !== "none");
        expect(matchCells(column, one, one)).toEqual({ closeness: "strict", similarity: 1 });
        if (one.canonical === other.canonical) expect(match.similarity).toBe(1);
      }),
      { seed, numRuns: 1000 },
    );
  });
});
