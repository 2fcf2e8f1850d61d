import { joinObjects } from "../../testing/pdf.ts";
import { readDocument } from "../document.ts";
import { defaultLimits } from "../limits.ts";

/** The letters that the glyphs from A show. */
const letters = "אבגדהוזחטיכלמנסעפצקרשתםןךףץ";

/** Creates a PDF whose capitals show Hebrew letters, as browsers and text processors do: the letters are painted from left to right. */
function toPdf(content: string): Uint8Array {
  const map = [...letters]
    .map((letter, index) => `<${(0x41 + index).toString(16)}> <0${letter.charCodeAt(0).toString(16)}>`)
    .join("\n");
  const unicode = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <00> <FF> endcodespacerange ${letters.length} beginbfchar\n${map}\nendbfchar endcmap end end`;
  const toStream = (source: string): string => `<< /Length ${source.length} >>\nstream\n${source}\nendstream`;
  return joinObjects([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
    toStream(content),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /ToUnicode 7 0 R >>",
    toStream(unicode),
  ]);
}

/** Returns the codes of Hebrew text in the order in which it is painted. */
function paint(text: string): string {
  return [...text]
    .reverse()
    .map((letter) => (letters.includes(letter) ? String.fromCharCode(0x41 + letters.indexOf(letter)) : letter))
    .join("");
}

async function read(content: string) {
  const source = { bytes: new Uint8Array(toPdf(content)), filename: "a.pdf", contentType: "" };
  const { pages } = await readDocument(source, defaultLimits);
  return {
    lines: pages.flatMap((page) => page.lines),
    hidden: pages.flatMap(({ hidden = [] }) => hidden.map(({ text }) => text)),
  };
}

describe("a PDF with text that is written from right to left", () => {
  it("has the words of a line in the order in which they are read, where they are", async () => {
    // From left to right: a sum, a name, a word. Between them are gaps of a space.
    const content = `BT /F1 10 Tf 1 0 0 1 300 700 Tm (4711) Tj 1 0 0 1 325 700 Tm (Acme Ltd) Tj /F2 10 Tf 1 0 0 1 372 700 Tm (${paint("חשבונית של")}) Tj ET`;
    const [line] = (await read(content)).lines;
    expect(line?.text).toBe("חשבונית של Acme Ltd 4711");
    const places = line?.words.map(({ box }) => Math.round((box?.x ?? 0) * 600)) ?? [];
    expect(places[0]).toBeGreaterThan(places[1]!);
    expect(places[1]).toBe(372);
    expect(places.at(-1)).toBe(300);
  });

  it("has hidden text that can be read", async () => {
    const content = `BT /F2 10 Tf 1 0 0 1 300 700 Tm (${paint("שלום")}) Tj 1 g 1 0 0 1 300 600 Tm (${paint("סוד גדול")}) Tj ET`;
    const { lines, hidden } = await read(content);
    expect(lines.map(({ text }) => text)).toEqual(["שלום"]);
    expect(hidden).toEqual(["סוד גדול"]);
    const mixed = `BT /F1 10 Tf 1 0 0 1 300 700 Tm (seen) Tj /F2 10 Tf 1 g 1 0 0 1 300 600 Tm (2024${paint("ב-")}) Tj ET`;
    expect((await read(mixed)).hidden).toEqual(["ב-2024"]);
  });
});
