import { firstViolations, maxLineViolations, readImport } from "./import.ts";

describe("an import of JSON lines", () => {
  it("can have a line with more violations than a call can have arguments", () => {
    const keys = Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`);
    const { entries, violations } = readImport(
      `{"fileId":"f","values":{},${keys.join(",")}}\n{"fileId":"g","values":{}}`,
    );
    expect(entries.map(({ line, file }) => ({ line, file }))).toEqual([{ line: 2, file: { id: "g" } }]);
    expect(violations).toHaveLength(300_000);
    expect(violations.at(-1)).toEqual({ line: 1, field: "k299999", message: "is not a field of a line" });
  });
});

describe("the violations of a response", () => {
  it("are the first by line, and those of a line stay in their order", () => {
    const violation = (line: number, field: string) => ({ line, field, message: "is invalid" });
    expect(
      firstViolations([violation(2, "b"), violation(2, "a"), violation(1, "c")]).map(({ field }) => field),
    ).toEqual(["c", "b", "a"]);
    const many = Array.from({ length: 3 * maxLineViolations }, (_, index) => violation(index % 2, `${index}`));
    const parts = firstViolations([...firstViolations(many.slice(0, 1_700)), ...many.slice(1_700)]);
    expect(parts).toEqual(many.filter(({ line }) => line === 0).slice(0, maxLineViolations));
  });
});
