import { joined } from "./fold.ts";
import { conceptLabels, withOwnLabels } from "./labels.ts";
import { DOCUMENT_CONCEPTS } from "./lexicon/lexicon.ts";

/** Returns all texts that differ from this one by one character, which is changed to, or inserted as, "q". */
function toSimilar(text: string): string[] {
  return Array.from(text).flatMap((_, at) => {
    const [before, after] = [text.slice(0, at), text.slice(at + 1)];
    return [`${before}q${after}`, `${before}${after}`, `${before}q${text.slice(at)}`];
  });
}

describe("an index of labels", () => {
  const index = conceptLabels(DOCUMENT_CONCEPTS);
  const labels = new Set(
    DOCUMENT_CONCEPTS.flatMap(({ names, labels }) => [...names, ...labels].map((label) => joined(label))).filter(
      (label) => label.length > 6,
    ),
  );

  it("says of every text with one wrong, missing or additional character that it may resemble a label", () => {
    expect(labels.size).toBeGreaterThan(500);
    for (const label of labels) {
      const missed = toSimilar(label).filter((text) => !index.mayResemble(text));
      expect(missed).toEqual([]);
    }
  });

  it("says so of the labels of columns too", () => {
    const own = withOwnLabels(index, new Map([["column", ["Zylinderkopf"]]]));
    for (const text of toSimilar("zylinderkopf")) {
      expect([own.mayResemble(text), index.mayResemble(text)]).toEqual([true, false]);
    }
  });

  it("says of most other words that they do not", () => {
    const words = ["yesterday", "mountains", "photograph", "quickly", "beautiful", "keyboards", "weather", "zoology"];
    expect(words.filter((word) => index.mayResemble(word))).toEqual([]);
  });
});
