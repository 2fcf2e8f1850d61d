import { splitAtQuotes } from "./marks.ts";

describe("the quotes in a page's text", () => {
  it("are marked once each, in the order of the text, whatever they contain", () => {
    const text = "Total (net)\t100.00\nTotal 100.00 <b>x</b>";
    const parts = splitAtQuotes(text, [
      { key: "second", quote: "100.00" },
      { key: "third", quote: "100.00" },
      { key: "first", quote: "Total (net)" },
      { key: "markup", quote: "<b>x</b>" },
      { key: "missing", quote: "101.00" },
      { key: "empty", quote: " " },
    ]);
    expect(parts.map(({ text: part }) => part).join("")).toBe(text);
    expect(parts.filter(({ key }) => key !== undefined)).toEqual([
      { text: "Total (net)", key: "first" },
      { text: "100.00", key: "second" },
      { text: "100.00", key: "third" },
      { text: "<b>x</b>", key: "markup" },
    ]);
  });

  it("match any white space, and leave other text as it is", () => {
    expect(splitAtQuotes("a  b\nc", [{ key: "k", quote: "b c" }])).toEqual([
      { text: "a  ", key: undefined },
      { text: "b\nc", key: "k" },
    ]);
    expect(splitAtQuotes("", [])).toEqual([]);
  });

  it("are found in a table of thousands of rows that say the same", () => {
    const rows = 10_000;
    const marks = Array.from({ length: rows }, (_, row) => ({ key: String(row), quote: "EUR" }));
    const parts = splitAtQuotes("EUR\n".repeat(rows), marks).filter(({ key }) => key !== undefined);
    expect(parts.map(({ key }) => key)).toEqual(marks.map(({ key }) => key));
  });
});
