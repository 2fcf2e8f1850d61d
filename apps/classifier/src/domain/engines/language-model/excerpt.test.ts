import * as fc from "fast-check";
import { MAX_EXCERPT_CHARACTERS, toExcerpt, toLongExcerpt } from "./excerpt.ts";

const seed = Date.now() % 1_000_000;

describe("an excerpt", () => {
  it("is the beginning of a document, and the titles of the rest", () => {
    const body = "the supplier delivers what was ordered.\n".repeat(500);
    const excerpt = toExcerpt(`${body}2.1 Term and Termination\nEXHIBIT A\ntotal: 5\n12.50 12.50\n${body}EXHIBIT A\n`);
    expect(excerpt.startsWith(body.slice(0, 6_000))).toBe(true);
    expect(excerpt.slice(6_000)).toBe("\n[...]\n2.1 Term and Termination\nEXHIBIT A");
    expect(toExcerpt(excerpt)).toBe(excerpt);
    expect(toExcerpt("INVOICE 4711\nTotal due: 12.50 EUR")).toBe("INVOICE 4711\nTotal due: 12.50 EUR");
  });

  it("takes no longer for a line with a long number", () => {
    const lines = ["1".repeat(60), "1.".repeat(30), "2.1. Termination", "3 Notices"];
    const excerpt = toExcerpt(`${"the supplier delivers.\n".repeat(400)}${lines.join("\n")}\n`);
    expect(excerpt.slice(6_000)).toBe("\n[...]\n2.1. Termination\n3 Notices");
  });

  it("has a maximum length, and no half of a character", () => {
    const titles = Array.from({ length: 3_000 }, (_, index) => `Title ${"x".repeat(index % 60)}`).join("\n");
    const excerpt = toExcerpt(titles);
    expect(excerpt.length).toBeLessThanOrEqual(MAX_EXCERPT_CHARACTERS);
    expect(toExcerpt(excerpt)).toBe(excerpt);
    expect(toExcerpt(`x${"😀".repeat(5_000)}`).isWellFormed()).toBe(true);
  });

  it(`is the same for a longer excerpt (seed ${String(seed)})`, () => {
    const lines = fc.array(
      fc.tuple(
        fc.constantFrom(
          "Term and Termination",
          "EXHIBIT",
          "the supplier delivers",
          "Total:",
          "😀",
          "",
          "Words of a long line",
        ),
        fc.nat({ max: 400 }),
        fc.constantFrom("\n", "\n", "\n", " ", "\r\n"),
      ),
      { minLength: 20, maxLength: 160 },
    );
    fc.assert(
      fc.property(lines, (parts) => {
        const document = parts.map(([words, number, end]) => `${words} ${"x".repeat(number)}${end}`).join("");
        const long = toLongExcerpt(document, 8_000);
        expect(toExcerpt(long)).toBe(toExcerpt(document));
        expect(long.slice(0, 8_000)).toBe(document.slice(0, 8_000));
        expect(long.length).toBeLessThanOrEqual(9_000 + MAX_EXCERPT_CHARACTERS - 6_000);
      }),
      { seed, numRuns: 300 },
    );
    expect(toLongExcerpt(`${"Some words.\n".repeat(700)}${"a".repeat(9_000)}`, 8_000).isWellFormed()).toBe(true);
  });
});
