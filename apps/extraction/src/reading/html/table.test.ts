import fc from "fast-check";
import { convert } from "html-to-text";
import type { HtmlToTextOptions } from "html-to-text";
import { htmlToText } from "./html.ts";
import { tableText } from "./table.ts";
import { maxHtml } from "../limits.ts";
import { splitLines } from "../lines.ts";

function linesIn(text: string): string[] {
  return [...splitLines(text)].map((line) => line.text);
}

/** The formatter of html-to-text that aligns the columns with spaces. */
const dataTable: HtmlToTextOptions = {
  wordwrap: false,
  selectors: [{ selector: "table", format: "dataTable", options: { uppercaseHeaderCells: false, colSpacing: 4 } }],
};

const cell = fc
  .record({
    tag: fc.constantFrom("td", "th"),
    text: fc.constantFrom("", "a", "bb", "c d", "e<br>f", "<p>g</p><p>h</p>", "<br>i", " j ", "<pre>k\n  l</pre>"),
    colspan: fc.constantFrom("", " colspan=1", " colspan=3", " colspan=x", " colspan=0"),
  })
  .map(({ tag, text, colspan }) => `<${tag}${colspan}>${text}</${tag}>`);
const row = fc.array(cell, { maxLength: 5 }).map((cells) => `<tr>${cells.join("")}</tr>`);
const table = fc.array(row, { maxLength: 6 }).map((rows) => `<table>${rows.join("")}</table>`);

describe("tables of HTML", () => {
  it("are read as with the formatter of html-to-text", () => {
    fc.assert(
      fc.property(table, (html) => {
        expect(linesIn(htmlToText(html))).toEqual(linesIn(convert(html, dataTable)));
      }),
    );
  });

  it("keep the order of their columns next to cells that span several rows", () => {
    const html = `<table>
      <tr><td>a<br>b<br>c</td><td rowspan=3>x<br>y<br>z</td><td>d</td></tr>
      <tr><td>e</td><td rowspan=1e9>f</td></tr>
      <tr><td>g</td></tr><tr><td>h</td><td>i</td></tr></table>`;
    expect(linesIn(htmlToText(html))).toEqual(["a\tx\td", "b\ty", "c\tz", "e\tf", "g", "h\ti"]);
  });

  // Each of these once took more than 20 seconds, or did not end.
  it.each([
    ["one row", `<tr>${"<td>1".repeat(maxHtml.elements)}`],
    ["two columns", "<tr><td>1<td>2".repeat(maxHtml.elements / 3)],
    ["very wide cells", "<tr><td colspan=1e999 rowspan=1e999>1<td colspan=99999999>2".repeat(maxHtml.elements / 3)],
    [
      "cells that span many rows",
      `<tr>${"<td rowspan=9999>1".repeat(maxHtml.elements / 2)}${"<tr><td>2".repeat(maxHtml.elements / 4)}`,
    ],
  ])("take time in proportion to their cells: %s", (_, rows) => {
    expect(htmlToText(`<table>${rows}</table>`).replace(/\D+/g, "")).toMatch(/^(1|2){50000,}$/);
  });

  it("are empty without cells", () => {
    expect(tableText([])).toBe("");
    expect(tableText([[], []])).toBe("");
  });
});
