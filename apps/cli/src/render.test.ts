import stringWidth from "string-width";
import { printable, printableJson } from "./printable.ts";
import { drawView, plainView, type TerminalStyle } from "./render.ts";
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
    [{ title: "id" }, { title: "name", shrinks: true }, { title: "count", right: true }],
    hostile.map((name, index) => [`id_${index}`, name, index]),
  ),
];
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe("drawView", () => {
  it("lets nothing through that a terminal would obey, and keeps every column in its place", () => {
    const lines = drawView(view, style).trimEnd().split("\n");
    expect(lines.join("")).not.toMatch(obeyed);
    expect(lines).toHaveLength(hostile.length + 1);
    expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
  });

  it.each([40, 30, 20])("keeps within %i columns by cutting names only, or is as narrow as can be", (columns) => {
    const lines = drawView(view, { ...style, columns })
      .trimEnd()
      .split("\n");
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(Math.max(columns, 4 + 2 + 8 + 2 + 5));
    for (const [index] of hostile.entries()) expect(lines[index + 1]).toMatch(new RegExp(`^id_${index} `));
  });

  it("cuts between characters as people see them", () => {
    const wide = [table([{ title: "n", shrinks: true }], [["👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧"]])];
    expect(drawView(wide, { ...style, header: false, columns: 8 })).toBe("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧…\n");
  });

  it("isolates what is written from right to left", () => {
    expect(drawView([fields(["name", "مرحبا"])], style)).toBe("name:  \u2068مرحبا\u2069\n");
  });

  it("leaves the titles out where they are not wanted", () => {
    expect(drawView([table([{ title: "id" }], [["a"]])], { ...style, header: false })).toBe("a\n");
    expect(plainView([table([{ title: "id" }], [["a"]])], false)).toBe("a\n");
  });
});

describe("plainView", () => {
  it("has one line a row and as many tabs in each", () => {
    const lines = plainView(view, true).trimEnd().split("\n");
    expect(lines.map((line) => line.split("\t").length)).toEqual(Array(hostile.length + 1).fill(3));
    expect(lines.join("")).not.toMatch(obeyed);
  });

  it("says - where there is nothing", () => {
    expect(plainView([fields(["a", null], ["b", ""], ["c", 0], ["d", false])], true)).toBe(
      "a\t-\nb\t-\nc\t0\nd\tfalse\n",
    );
  });
});

describe("printable", () => {
  it("writes what is hidden as escapes", () => {
    expect(printable("a\u001b[1m\tb\u0085c\u2066d")).toBe("a\\u001b[1m\\tb\\u0085c\\u2066d");
  });

  it("keeps JSON the same value, and without such characters the same text", () => {
    const json = JSON.stringify({ name: "a\u009b2J\u202eb", more: ["é", "請", "\n"] });
    expect(printableJson(json)).not.toMatch(obeyed);
    expect(JSON.parse(printableJson(json))).toEqual(JSON.parse(json));
    expect(printableJson('{"é": "請\\n"}')).toBe('{"é": "請\\n"}');
  });
});
