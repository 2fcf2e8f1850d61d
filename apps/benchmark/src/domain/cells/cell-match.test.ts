import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import fc from "fast-check";
import { matchCells, prepareValue } from "./cell-match.ts";
import type { ComparedColumn } from "./cell-match.ts";
import type { Scalar } from "./cell-value.ts";
import { getPropertySeed } from "../../testing/scoring.ts";

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

  it("uses the tolerance of the column", () => {
    expect(match("NUMBER", 100, 101, { tolerance: 1 })).toBe("typed");
    expect(match("NUMBER", 0.071, 0.075, { tolerance: 0 })).toBe("soft");
  });

  it("compares all characters if there are none of those that count", () => {
    expect(match("TEXT", "one", "two", { characters: "digits" })).toBe("none");
    expect(match("TEXT", "?!?", "---", { characters: "letters and digits" })).toBe("none");
  });
});

describe(`any two values (PROPERTY_SEED=${String(seed)})`, () => {
  const scalar = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(..."0123456789.,-/ ADE€()"), maxLength: 12 }),
    fc.double(),
    fc.boolean(),
  );
  const type = fc.constantFrom<TypeName>("TEXT", "NUMBER", "DATE", "BOOLEAN", "ENUM");

  it("match symmetrically, with a similarity between 0 and 1, and every value matches itself", () => {
    fc.assert(
      fc.property(type, scalar, scalar, (name, expected, actual) => {
        const column = { type: ColumnType[name] };
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
