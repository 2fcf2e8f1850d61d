import fc from "fast-check";
import { createBudget, defaultLimits } from "./limits.ts";
import { toLine, splitLines, takeLines } from "./lines.ts";

describe("lines of text", () => {
  it("keep wide gaps as tabs, and leave out empty lines and indentation", () => {
    const lines = [...splitLines("  Total   due:\t12.00 \r\n\r\nA\u00a0b\u00ad\u200b\n\u0000\n")];
    expect(lines.map((line) => line.text)).toEqual(["Total\tdue:\t12.00", "A b"]);
    expect(lines[0]?.words).toEqual([
      { text: "Total", offset: 0 },
      { text: "due:", offset: 6 },
      { text: "12.00", offset: 11 },
    ]);
  });

  it("consist of words, separated by single spaces or tabs, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const line of splitLines(text)) {
          let rebuilt = "";
          for (const word of line.words) {
            if (rebuilt !== "") rebuilt += line.text.charAt(rebuilt.length);
            expect(word.offset).toBe(rebuilt.length);
            rebuilt += word.text;
          }
          expect(rebuilt).toBe(line.text);
          expect(line.text).toMatch(/^\S+(?:[ \t]\S+)*$/u);
        }
      }),
    );
  });

  it("are split in bounded time if they are long", () => {
    const begun = performance.now();
    expect([...splitLines(" ".repeat(3_000_000))]).toEqual([]);
    const budget = createBudget({ ...defaultLimits, maxCharacters: 1000 });
    expect(takeLines(splitLines("word ".repeat(2_000_000)), budget)[0]?.words).toHaveLength(200);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it("have a box around the boxes of their words", () => {
    const line = toLine([
      { text: "a", before: "", box: { x: 0.5, y: 0.25, width: 0.125, height: 0.125 } },
      { text: "b", before: "\t", box: { x: 0.75, y: 0.125, width: 0.125, height: 0.125 } },
    ]);
    expect(line.text).toBe("a\tb");
    expect(line.box).toEqual({ x: 0.5, y: 0.125, width: 0.375, height: 0.25 });
  });

  it("may have more words than a function may have arguments", () => {
    const box = { x: 0.25, y: 0.5, width: 0.125, height: 0.125 };
    const words = Array.from({ length: 700_000 }, () => ({ text: "a", before: " ", box }) as const);
    expect(toLine(words).box).toEqual(box);
  });

  it("end with the budget, after a complete word, and report it", () => {
    const budget = createBudget({ ...defaultLimits, maxCharacters: 15 });
    const lines = takeLines(splitLines("one two\nthree four\nfive"), budget);
    expect(lines.map((line) => line.text)).toEqual(["one two", "three"]);
    expect(lines[1]?.words).toHaveLength(1);
    expect(budget.omissions()).toEqual(["Only the first 15 characters were read."]);
  });
});
