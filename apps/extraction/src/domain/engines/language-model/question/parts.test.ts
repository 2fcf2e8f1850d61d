import { createConfiguration, plainDocument } from "../../../../testing/documents.ts";
import { numberLines, printLine } from "./numbered-lines.ts";
import { countTokens, cutIntoParts } from "./parts.ts";
import type { Part } from "./parts.ts";

const configuration = createConfiguration({
  document: [["number", "Number"]],
  items: [
    ["article", "Article"],
    ["price", "Price", "NUMBER"],
  ],
});

function cut(text: string, tokens: number): readonly Part[] {
  return cutIntoParts(numberLines(plainDocument(text)), configuration, tokens);
}

const countAll = (lines: Part["lines"]): number =>
  lines.reduce((sum, line) => sum + countTokens(printLine(line)) + 1, 0);

describe("the parts of a document", () => {
  it.each([
    { name: "paragraphs of 1,900 characters", characters: 1_900, lines: 100, tokens: 6_000 },
    { name: "lines of 90 characters in the smallest parts", characters: 90, lines: 300, tokens: 200 },
  ])("are filled by their own lines for the most part: $name", ({ characters, lines, tokens }) => {
    const text = Array.from({ length: lines }, (_, index) => `${index} `.padEnd(characters, "word ")).join("\n");
    const parts = cut(text, tokens);
    expect(parts.flatMap((part) => part.lines)).toHaveLength(lines);
    const longest = countTokens("0".repeat(characters + 5)) + 1;
    for (const { before, lines: own } of parts) {
      expect(countAll(before)).toBeLessThanOrEqual(tokens / 3);
      expect(countAll(before) + countAll(own)).toBeLessThanOrEqual(tokens);
    }
    // Each part but the last one is filled up to less than a line.
    for (const { lines: own } of parts.slice(0, -1)) expect(countAll(own)).toBeGreaterThan((2 / 3) * tokens - longest);
  });

  it("repeat the last lines before them, and the head of a table that they continue", () => {
    const rows = Array.from({ length: 200 }, (_, index) => `Bolt ${index}\t${index}.50`);
    const [, second] = cut(["Article\tPrice", ...rows].join("\n"), 600);
    expect(second?.before[0]?.text).toBe("Article\tPrice");
    const first = second?.lines[0]?.number ?? 0;
    expect(second?.before.slice(1).map(({ number }) => number)).toEqual(
      Array.from({ length: 8 }, (_, index) => first - 8 + index),
    );
  });
});
