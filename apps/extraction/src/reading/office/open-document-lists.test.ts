import { changeFiles, createOpenDocument } from "../../testing/office.ts";
import { readDocument } from "../document.ts";
import { defaultLimits } from "../limits.ts";

const numbered = (level: number, format: string, more = ""): string =>
  `<text:list-level-style-number text:level="${level}" style:num-format="${format}" ${more}/>`;
const style = (...levels: readonly string[]): string =>
  `<text:list-style style:name="L1">${levels.join("")}</text:list-style>`;
const list = (items: string, attributes = 'text:style-name="L1"'): string =>
  `<text:list ${attributes}>${items}</text:list>`;
const item = (content: string, more = ""): string => `<text:list-item ${more}>${content}</text:list-item>`;
const paragraph = (text: string): string => `<text:p>${text}</text:p>`;

/** Reads the lines of a document with this content and these styles. */
async function read(content: string, styles: string, more = "") {
  const bytes = changeFiles(createOpenDocument("text", []), {
    "content.xml": `<d><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${content}</office:text></office:body></d>`,
    "styles.xml": `<s><office:styles>${more}</office:styles></s>`,
  });
  const source = { bytes: new Uint8Array(bytes), filename: "a", contentType: "" };
  const { pages, problem } = await readDocument(source, defaultLimits);
  expect(problem).toBeUndefined();
  return pages.flatMap(({ lines }) => lines.map(({ text }) => text));
}

describe("the numbers of lists in odt", () => {
  const clauses = style(
    numbered(1, "1", 'style:num-suffix="."'),
    numbered(2, "1", 'text:display-levels="2"'),
    numbered(3, "a", 'style:num-prefix="(" style:num-suffix=")"'),
  );

  it("are decimal, and before a tab, if the names of their format and separator are members of objects", async () => {
    const label = `<style:list-level-properties><style:list-level-label-alignment text:label-followed-by="constructor"/></style:list-level-properties>`;
    const odd = numbered(1, "constructor").replace("/>", `>${label}</text:list-level-style-number>`);
    expect(await read(list(item(paragraph("text"))), style(odd))).toEqual(["1\ttext"]);
  });

  it("are those of all levels, of the first paragraphs of items", async () => {
    const inner = list(item(paragraph("first")) + item(paragraph("second")), "");
    const content = list(
      item(
        paragraph("Term") + paragraph("more") + list(item(paragraph("Start") + inner) + item(paragraph("End")), ""),
      ) +
        `<text:list-header>${paragraph("header")}</text:list-header>` +
        item(paragraph("Fees") + list(item(paragraph("Rate")), "")),
    );
    expect(await read(content, clauses)).toEqual([
      "1.\tTerm",
      "more",
      "1.1\tStart",
      "(a)\tfirst",
      "(b)\tsecond",
      "1.2\tEnd",
      "header",
      "2.\tFees",
      "2.1\tRate",
    ]);
  });

  it("begin again in the next list, unless it continues one", async () => {
    const one = (text: string, attributes = ""): string =>
      list(item(paragraph(text)), `text:style-name="L1" ${attributes}`);
    const content = [
      one("a", 'xml:id="x"'),
      one("b", 'text:continue-numbering="true"'),
      one("c"),
      one("d", 'text:continue-list="x"'),
      list(item(paragraph("e"), 'text:start-value="7"') + item(paragraph("f"))),
    ];
    expect(await read(content.join(""), clauses)).toEqual(["1.\ta", "2.\tb", "1.\tc", "3.\td", "7.\te", "8.\tf"]);
    const below = list(item(list(item(paragraph("g")), 'text:continue-numbering="true"')), 'text:style-name="L1"');
    expect(await read(one("a") + below, clauses)).toEqual(["1.\ta", "1.1\tg"]);
  });

  it("are in the format of their level", async () => {
    for (const [format, shown] of [
      ["I", "XXVIII"],
      ["i", "xxviii"],
      ["A", "AB"],
      ["", ""],
    ] as const) {
      const styles = style(numbered(1, format, 'text:start-value="28"'));
      expect(await read(list(item(paragraph("text"))), styles)).toEqual([shown === "" ? "text" : `${shown}\ttext`]);
    }
    const repeated = style(numbered(1, "a", 'text:start-value="28" style:num-letter-sync="true"'));
    expect(await read(list(item(paragraph("text"))), repeated)).toEqual(["bb\ttext"]);
    const spaced = style(
      '<text:list-level-style-number text:level="1" style:num-format="1"><style:list-level-properties><style:list-level-label-alignment text:label-followed-by="space"/></style:list-level-properties></text:list-level-style-number>',
    );
    expect(await read(list(item(paragraph("text"))), spaced)).toEqual(["1 text"]);
    const bullets = style('<text:list-level-style-bullet text:level="1" text:bullet-char="\uf0b7"/>');
    expect(await read(list(item(paragraph("text")) + item(paragraph(""))), bullets)).toEqual(["•\ttext"]);
  });

  it("are those of the outline in headings, and of the style that paragraphs name", async () => {
    const heading = (level: number, text: string): string => `<text:h text:outline-level="${level}">${text}</text:h>`;
    const outline = `<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>`;
    const content = heading(1, "one") + heading(2, "two") + paragraph("text") + heading(1, "three");
    expect(await read(content, "", outline)).toEqual(["1\tone", "1.1\ttwo", "text", "2\tthree"]);
    expect(await read(content, "")).toEqual(["one", "two", "text", "three"]);
    const named = list(item('<text:p text:style-name="P1">named</text:p>'), "");
    const styles = `${clauses}<style:style style:name="P1" style:list-style-name="L1"/>`;
    expect(await read(named, styles)).toEqual(["1.\tnamed"]);
  });

  it("are also in cells, not those of hidden paragraphs, and bounded", async () => {
    const table = `<table:table><table:table-row><table:table-cell>${list(item(paragraph("")))}</table:table-cell><table:table-cell>${paragraph("Steel")}</table:table-cell></table:table-row></table:table>`;
    expect(await read(table, clauses)).toEqual(["1.\tSteel"]);
    const secret = `<style:style style:name="S"><style:text-properties text:display="none"/></style:style>`;
    const content = list(item('<text:p text:style-name="S">secret</text:p>') + item(paragraph("seen")));
    expect(await read(content, clauses + secret)).toEqual(["1.\tseen"]);
    const long = style(numbered(1, "1", `style:num-suffix="${"x".repeat(100_000)}"`), numbered(1_000_000_000, "1"));
    const far = `<text:h text:outline-level="1000000000">far</text:h>`;
    expect(await read(list(item(paragraph("text"))) + far, long)).toEqual([`1${"x".repeat(50)}\ttext`, "far"]);
  });
});
