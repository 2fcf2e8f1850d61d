import { changeFiles, createDocx, createRelations } from "../../../testing/office.ts";
import { readDocument } from "../../document.ts";
import { defaultLimits } from "../../limits.ts";

const level = (at: number, format: string, text: string, more = ""): string =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
const list = (id: number, ...levels: readonly string[]): string =>
  `<w:abstractNum w:abstractNumId="${id}">${levels.join("")}</w:abstractNum>`;
const use = (id: number, definition: number, more = ""): string =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${definition}"/>${more}</w:num>`;
const item = (text: string, id: number, at?: number, more = ""): string =>
  `<w:p><w:pPr><w:numPr>${at === undefined ? "" : `<w:ilvl w:val="${at}"/>`}<w:numId w:val="${id}"/></w:numPr>${more}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Reads the lines of a document with these paragraphs, definitions of lists and styles. */
async function read(body: string, definitions: string, styles = "") {
  const bytes = changeFiles(createDocx([], { body }), {
    "word/_rels/document.xml.rels": createRelations({
      r1: ["numbering", "numbering.xml"],
      r2: ["styles", "styles.xml"],
    }),
    "word/numbering.xml": `<w:numbering>${definitions}</w:numbering>`,
    "word/styles.xml": `<w:styles>${styles}</w:styles>`,
  });
  const source = { bytes: new Uint8Array(bytes), filename: "a", contentType: "" };
  const { pages, problem } = await readDocument(source, defaultLimits);
  expect(problem).toBeUndefined();
  return pages.flatMap(({ lines }) => lines.map(({ text }) => text));
}

describe("the numbers of lists in docx", () => {
  const clauses = list(0, level(0, "decimal", "%1."), level(1, "decimal", "%1.%2"), level(2, "lowerLetter", "%3)"));

  it("are those of all levels, and begin again below the next number", async () => {
    const body = [
      item("Term", 1, 0),
      item("Start", 1, 1),
      item("first", 1, 2),
      item("second", 1, 2),
      "<w:p><w:r><w:t>between</w:t></w:r></w:p>",
      item("End", 1, 1),
      item("third", 1, 2),
      item("Fees", 1, 0),
      item("Rate", 1, 1),
    ];
    expect(await read(body.join(""), clauses + use(1, 0))).toEqual([
      "1.\tTerm",
      "1.1\tStart",
      "a)\tfirst",
      "b)\tsecond",
      "between",
      "1.2\tEnd",
      "a)\tthird",
      "2.\tFees",
      "2.1\tRate",
    ]);
  });

  it("are in the format of their level", async () => {
    const formats = { upperRoman: "IV", lowerRoman: "iv", upperLetter: "D", decimalZero: "04", none: "", ordinal: "4" };
    for (const [format, shown] of Object.entries(formats)) {
      const start = list(0, level(0, format, "§ %1").replace('start w:val="1"', 'start w:val="4"'));
      expect(await read(item("text", 1, 0), start + use(1, 0))).toEqual([`§${shown && " "}${shown}\ttext`]);
    }
    const far = list(0, level(0, "lowerLetter", "%1").replace('start w:val="1"', 'start w:val="28"'));
    expect(await read(item("text", 1, 0), far + use(1, 0))).toEqual(["bb\ttext"]);
    const legal = list(0, level(0, "upperRoman", "Article %1"), level(1, "decimal", "%1.%2", "<w:isLgl/>"));
    const body = item("one", 1, 0) + item("two", 1, 1);
    expect(await read(body, legal + use(1, 0))).toEqual(["Article I\tone", "1.1\ttwo"]);
    const spaced = list(0, level(0, "decimal", "%1.", '<w:suff w:val="space"/>'));
    expect(await read(item("text", 1, 0), spaced + use(1, 0))).toEqual(["1. text"]);
    const close = list(0, level(0, "decimal", "%1/", '<w:suff w:val="nothing"/>'));
    expect(await read(item("2026", 1, 0), close + use(1, 0))).toEqual(["1/2026"]);
  });

  it("are decimal, and before a tab, if the names of their format and separator are members of objects", async () => {
    const odd = list(0, level(0, "constructor", "%1.", '<w:suff w:val="constructor"/>'));
    expect(await read(item("text", 1, 0), odd + use(1, 0))).toEqual(["1.\ttext"]);
  });

  it("are bullets, whatever their font has for them, but not without a text", async () => {
    for (const [character, shown] of [
      ["\uf0b7", "•"],
      ["o", "•"],
      ["–", "–"],
    ] as const) {
      const bullets = list(0, level(0, "bullet", character)) + use(1, 0);
      expect(await read(item("text", 1, 0) + item("", 1, 0), bullets)).toEqual([`${shown}\ttext`]);
    }
  });

  it("are those of styles, which their list may name", async () => {
    const styles = `<w:style w:styleId="Heading1"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:styleId="Heading2"><w:basedOn w:val="Heading1"/></w:style>`;
    const headings = list(
      0,
      level(0, "decimal", "%1", '<w:pStyle w:val="Heading1"/>'),
      level(1, "decimal", "%1.%2", '<w:pStyle w:val="Heading2"/>'),
    );
    const heading = (text: string, at: number, more = ""): string =>
      `<w:p><w:pPr><w:pStyle w:val="Heading${at}"/>${more}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const body = heading("one", 1) + heading("two", 2) + heading("none", 1, '<w:numPr><w:numId w:val="0"/></w:numPr>');
    expect(await read(body, headings + use(1, 0), styles)).toEqual(["1\tone", "1.1\ttwo", "none"]);
    const linked = `<w:style w:styleId="Steps"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`;
    const link = '<w:abstractNum w:abstractNumId="7"><w:numStyleLink w:val="Steps"/></w:abstractNum>';
    expect(await read(item("step", 2, 0), clauses + link + use(1, 0) + use(2, 7), linked)).toEqual(["1.\tstep"]);
  });

  it("go on in lists with the same definition, unless they begin again", async () => {
    const again = use(2, 0) + use(3, 0, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>');
    const body = item("a", 1, 0) + item("b", 2, 0) + item("c", 3, 0) + item("d", 3, 0);
    expect(await read(body, clauses + use(1, 0) + again)).toEqual(["1.\ta", "2.\tb", "5.\tc", "6.\td"]);
  });

  it("do not count what is deleted, and are also in cells and without a text", async () => {
    const gone = item("gone", 1, 0, "<w:rPr><w:del/></w:rPr>").replace(/<w:r>.*<\/w:r>/, "<w:del>$&</w:del>");
    const table = `<w:tbl><w:tr><w:tc>${item("", 1, 0)}</w:tc><w:tc><w:p><w:r><w:t>Steel</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`;
    expect(await read(gone + table + item("next", 1, 0), clauses + use(1, 0))).toEqual(["1.\tSteel", "2.\tnext"]);
  });

  it("are left out if their definitions are damaged, and bounded", async () => {
    expect(await read(item("text", 1, 0), "<w:abstractNum>")).toEqual(["text"]);
    expect(await read(item("text", 1, 0), list(0, level(0, "decimal", "§".repeat(100_000))) + use(1, 0))).toEqual([
      `${"§".repeat(50)}\ttext`,
    ]);
    const cyclic = '<w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="A"/></w:abstractNum>';
    const style = `<w:style w:styleId="A"><w:basedOn w:val="A"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`;
    expect(await read(item("text", 1, 0), cyclic + use(1, 0), style)).toEqual(["text"]);
  });
});
