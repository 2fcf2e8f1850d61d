import stringWidth from "string-width";
import { printable, printableJson } from "./printable.ts";
import { renderView, renderPlainView, type TerminalStyle } from "./rendering.ts";
import { fields, table } from "./view.ts";

const style: TerminalStyle = { columns: undefined, header: true, bold: (text) => text, state: (text) => text };
const hostile = [
  "\u001b[31mred\u001b[0m",
  "\u001b]0;title\u0007",
  "\u009b2J",
  "two\nlines\r\nand\ttabs",
  "evil\u202egnp.exe",
  "half \ud800 a pair",
  "請求書",
  "مرحبا",
  "🧾👨‍👩‍👧",
];
const view = [
  table(
    [{ title: "id" }, { title: "name", content: "text" }, { title: "count", right: true }],
    hostile.map((name, index) => [`id_${index}`, name, index]),
  ),
];
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe("renderView", () => {
  it("prints no control characters, and keeps the columns aligned", () => {
    const lines = renderView(view, style).text.trimEnd().split("\n");
    expect(lines.join("")).not.toMatch(controlCharacters);
    expect(lines).toHaveLength(hostile.length + 1);
    expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
  });

  it.each([40, 30, 20])("fits into %i columns by truncating only names", (columns) => {
    const lines = renderView(view, { ...style, columns })
      .text.trimEnd()
      .split("\n");
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    for (const [index] of hostile.entries()) expect(lines[index + 1]).toMatch(new RegExp(`^id_${index} `));
  });

  it("draws more rows than a call can have arguments", () => {
    const count = 150_000;
    const rows = Array.from({ length: count }, (_, index) => [index]);
    const { text } = renderView([table([{ title: "n", right: true }], rows)], { ...style, header: false });
    expect(text.split("\n")).toHaveLength(count + 1);
  });

  it("truncates text between grapheme clusters", () => {
    const wide = [table([{ title: "n", content: "text" }], [["👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧"]])];
    expect(renderView(wide, { ...style, header: false, columns: 8 }).text).toBe("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧…\n");
  });

  const classifiers = [
    table(
      [
        { title: "id", content: "id" },
        { title: "name", content: "text" },
        { title: "model", content: "reference" },
        { title: "classifications", right: true },
        { title: "created", content: "time" },
      ],
      [
        [
          "clf_01m7z2qyaaaaaaaaaaaaaaaa1",
          "Accounts payable inbox",
          "mdl_01m7z2qyaaaaaaaaaaaaaaaa3",
          8,
          "2026-11-01T12:00:00.000Z",
        ],
        [
          "clf_01m7z2qyaaaaaaaaaaaaaaaa2",
          "請求書の分類",
          "mdl_01m7z2qyaaaaaaaaaaaaaaaa4",
          12480,
          "2026-11-01T12:00:00.000Z",
        ],
      ],
    ),
  ];

  it.each([
    // The IDs of references are shortened first, then those of the rows.
    [110, /^clf_01m7z2qya{16}1 {2}Accounts payable inbox {2}mdl_…aa+3 /m],
    // Then times are shortened, then titles. Names are shortened last.
    [76, /^clf_…aaaa1 {2}Accounts payable inbox {2}mdl_…aaaa3 {2} +8 {2}2026-11-01$/m],
    [60, /^clf_…aaaa1 {2}Accounts payabl… {2}mdl_…aaaa3 {2} +8 {2}2026-11-01$/m],
  ])("shortens IDs before times, times before titles, and titles before names: %i columns", (columns, first) => {
    const { text, shortensIds } = renderView(classifiers, { ...style, columns });
    expect([text, shortensIds]).toEqual([expect.stringMatching(first), true]);
  });

  it("truncates paths at the start", () => {
    const paths = ["samples/invoice-harbour-lane.pdf", "samples/請求書.pdf", "a.pdf"];
    const documents = table(
      [{ title: "document", content: "path" }],
      paths.map((path) => [path]),
    );
    const { text } = renderView([documents], { ...style, columns: 12 });
    expect(text.split("\n").slice(1, -1)).toEqual(["…ur-lane.pdf", "…/請求書.pdf", "a.pdf"]);
  });

  it("never exceeds the width of the terminal", () => {
    const long = fields(
      ["permissions", "documents:read, documents:write, classify, models:read"],
      ["id", "clf_01m7z2qyaaaaaaaaaaaa"],
    );
    for (let columns = 10; columns < 140; columns += 1) {
      for (const line of renderView([...classifiers, ...view, long], { ...style, columns }).text.split("\n"))
        expect([columns, line, stringWidth(line) <= columns]).toEqual([columns, line, true]);
    }
    const whole = renderView(classifiers, { ...style, columns: 140 });
    expect(whole).toEqual({ ...renderView(classifiers, style), shortensIds: false });
  });

  it("wraps the values of fields between words, without truncating them", () => {
    const value = "documents:read, documents:write, classify";
    const { text } = renderView([fields(["may", value])], { ...style, columns: 24 });
    expect(text).toBe("may:  documents:read,\n      documents:write,\n      classify\n");
  });

  it("isolates right-to-left text", () => {
    expect(renderView([fields(["name", "مرحبا"])], style).text).toBe("name:  \u2068مرحبا\u2069\n");
  });

  it("can omit the titles", () => {
    expect(renderView([table([{ title: "id" }], [["a"]])], { ...style, header: false }).text).toBe("a\n");
    expect(renderPlainView([table([{ title: "id" }], [["a"]])], false)).toBe("a\n");
  });
});

describe("renderPlainView", () => {
  it("has one line per row, with the same number of tabs", () => {
    const lines = renderPlainView(view, true).trimEnd().split("\n");
    expect(lines.map((line) => line.split("\t").length)).toEqual(Array(hostile.length + 1).fill(3));
    expect(lines.join("")).not.toMatch(controlCharacters);
  });

  it("prints - for an empty value", () => {
    expect(renderPlainView([fields(["a", null], ["b", ""], ["c", 0], ["d", false])], true)).toBe(
      "a\t-\nb\t-\nc\t0\nd\tfalse\n",
    );
  });
});

describe("printable", () => {
  it("writes invisible characters as escape sequences", () => {
    expect(printable("a\u001b[1m\tb\u0085c\u2066d")).toBe("a\\u001b[1m\\tb\\u0085c\\u2066d");
  });

  it("does not change the value of JSON, or its text without such characters", () => {
    const json = JSON.stringify({ name: "a\u009b2J\u202eb", more: ["é", "請", "\n"] });
    expect(printableJson(json)).not.toMatch(controlCharacters);
    expect(JSON.parse(printableJson(json))).toEqual(JSON.parse(json));
    expect(printableJson('{"é": "請\\n"}')).toBe('{"é": "請\\n"}');
  });
});
