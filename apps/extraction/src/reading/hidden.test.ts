import { createCanvas } from "@napi-rs/canvas";
import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { hiddenLines, hidingPlaces, makeVisibleDocument } from "../testing/hidden-documents.ts";
import { createOpenDocument, createPptx, createXlsx } from "../testing/office.ts";
import { createPdf, joinObjects, rawPdf } from "../testing/pdf.ts";
import { readDocument } from "./document.ts";
import { findZeroWidth } from "./hidden.ts";
import { defaultLimits } from "./limits.ts";

async function read(bytes: Buffer | string, filename: string) {
  const source = { bytes: new Uint8Array(Buffer.from(bytes)), filename, contentType: "" };
  const { pages, hiddenText } = await readDocument(source, defaultLimits);
  return {
    lines: pages.map((page) => page.lines.map(({ text }) => text)),
    hidden: pages.flatMap((page) => page.hidden ?? []),
    hiddenText,
  };
}

/** Reads a PDF of one page with these operators. */
const readPage = (content: string, entries = "") => read(rawPdf(content, entries), "page.pdf");
const text = (words: string, x = 50, y = 700, size = 12): string => `BT /F1 ${size} Tf ${x} ${y} Td (${words}) Tj ET\n`;

function createPicture(): Buffer {
  return createCanvas(400, 400).toBuffer("image/png");
}

describe("hidden text", () => {
  it.each(hidingPlaces.map((place, index) => [place.name, place, index] as const))(
    "is apart from the text of a document: %s",
    async (_, { create, filename }, index) => {
      const document = makeVisibleDocument(index);
      const plain = await read(await create(document, []), filename);
      expect([plain.hidden, plain.hiddenText]).toEqual([[], undefined]);
      for (const hidden of hiddenLines) {
        const twin = await read(await create(document, hidden), filename);
        expect(twin.lines).toEqual(plain.lines);
        expect(twin.hidden.map((each) => each.text).join(" ")).toBe(hidden.join(" "));
        expect(twin.hiddenText).toBe("The document contains text that people cannot see, on page 1. It was not used.");
      }
    },
  );

  it("has its reason, and its rectangle on a page", async () => {
    const { hidden, lines } = await readPage(
      `${text("seen")}1 g ${text("white", 50, 600)}3 Tr ${text("no color", 50, 500)}`,
    );
    expect(lines).toEqual([["seen"]]);
    expect(hidden).toEqual([
      { text: "white", reason: HiddenReason.COLOR, box: expect.objectContaining({ y: expect.closeTo(0.238, 2) }) },
      {
        text: "no color",
        reason: HiddenReason.INVISIBLE,
        box: expect.objectContaining({ x: expect.closeTo(0.083, 2) }),
      },
    ]);
  });

  it("is only the hidden part of a line", async () => {
    const line = "BT /F1 12 Tf 50 700 Td (Total ) Tj 1 g (500.00 ) Tj 0 g (300.00) Tj ET";
    expect(await readPage(line)).toMatchObject({ lines: [["Total\t300.00"]], hidden: [{ text: "500.00" }] });
  });

  it("is distinguished from its own background, whatever the shape", async () => {
    const dark = "0.2 g 40 690 300 30 re f";
    expect((await readPage(`${dark} 1 g ${text("light on dark")}`)).hidden).toEqual([]);
    expect((await readPage(`${dark} ${text("dark on dark")}`)).hidden).toMatchObject([{ text: "dark on dark" }]);
    const round = "0.2 g 40 690 m 340 690 l 345 705 340 720 330 720 c 40 720 l h f";
    expect((await readPage(`${round} ${text("dark on round")}`)).hidden).toMatchObject([{ text: "dark on round" }]);
    expect((await readPage(`${text("beside")} 1 g 300 690 100 30 re f`)).hidden).toEqual([]);
    // A shape with a hole covers only what is not in the hole.
    const frame = "0 g 0 0 600 800 re 40 680 300 50 re f*";
    expect((await readPage(`${text("in the hole")} ${frame}`)).hidden).toEqual([]);
    expect((await readPage(`${text("below", 50, 600)} ${frame}`)).hidden).toMatchObject([
      { text: "below", reason: HiddenReason.COVERED },
    ]);
  });

  it("is neither the end of a line that leaves the page, nor the shadow of letters", async () => {
    expect((await readPage(text("A line that is much too long for its page", 480))).hidden).toEqual([]);
    const shadow = `1 g ${text("Heading", 50.5, 699.5)} 0 g ${text("Heading")}`;
    expect(await readPage(shadow)).toMatchObject({ lines: [["Heading"]], hidden: [] });
  });

  it("is in form fields and notes that are outside of the page, tiny, flat, or in the color of what is below them", async () => {
    const toField = (name: string, appearance: string, box = "50 600 300 620", entries = ""): string =>
      `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${name}) /V (${name}) /Rect [${box}] /DA (${appearance}) /F 4 ${entries} >>`;
    const fields = [
      toField("seen", "0 g /Helv 12 Tf"),
      toField("on dark", "1 g /Helv 12 Tf", "50 500 300 520", "/MK << /BG [0 0 0.5] >>"),
      toField("on the bar", "1 g /Helv 12 Tf", "50 450 300 470"),
      toField("white", "1 g /Helv 12 Tf"),
      toField("dark on the bar", "0.2 g /Helv 12 Tf", "50 450 300 470"),
      toField("tiny", "0 g /Helv 0.5 Tf"),
      toField("flat", "0 g /Helv 12 Tf", "0 0 0 0"),
      toField("outside", "0 g /Helv 12 Tf", "5000 600 5300 620"),
      "<< /Type /Annot /Subtype /FreeText /Rect [50 550 300 570] /Contents (note) /DA (1 g /Helv 12 Tf) /F 4 >>",
    ];
    const ids = fields.map((_, index) => `${index + 5} 0 R`).join(" ");
    const content = "0.2 g 0 440 600 40 re f";
    const pdf = joinObjects([
      `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${ids}] >> >>`,
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Annots [${ids}] >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ...fields,
    ]);
    const { lines, hidden } = await read(pdf, "form.pdf");
    expect(lines).toEqual([["seen", "on dark", "on the bar"]]);
    expect(hidden).toMatchObject([
      { text: "note", reason: HiddenReason.COLOR },
      { text: "white", reason: HiddenReason.COLOR },
      { text: "dark on the bar", reason: HiddenReason.COLOR },
      { text: "tiny", reason: HiddenReason.TINY },
      { text: "flat", reason: HiddenReason.TINY },
      { text: "outside", reason: HiddenReason.OUTSIDE },
    ]);
  });

  it("is not the text layer of a scan, but one beside its picture", async () => {
    const scan = await createPdf((pdf) => {
      pdf.image(createPicture(), 50, 50, { width: 400 });
      pdf.addContent("3 Tr").text("of the scan", 100, 200, { lineBreak: false }).text("beside it", 100, 600);
    });
    const { lines, hidden } = await read(scan, "scan.pdf");
    expect(lines).toEqual([["of the scan"]]);
    expect(hidden).toMatchObject([{ text: "beside it", reason: HiddenReason.INVISIBLE }]);
  });

  it("is text that a style or an attribute of HTML hides, unless something shows it", async () => {
    const html = `<html><head><style>
      .a .hide, #x { visibility: hidden } .shown { visibility: visible } @media (max-width: 9px) { p { display: none } }
      .dark { background: #222 } .dark b { color: white } i:hover { display: none }</style></head><body>
      <p>plain</p><div class="a"><p class="hide">one <span class="shown">seen</span></p></div><p id="x">two</p>
      <p hidden>three</p><div class="dark"><b>on dark</b></div><p><b style="color:#FFFFFF">four</b></p>
      <p style="font-size:0">five<span style="font-size:12px">legible</span></p><p><i>hovered</i></p>
      <table bgcolor="#000000"><tr><td><font color="white">cell</font></td></tr></table></body></html>`;
    const { lines, hidden } = await read(html, "page.html");
    expect(lines.flat().join(" ")).toBe("plain seen on dark legible hovered cell");
    expect(hidden.map((each) => each.text)).toEqual(["one", "two three", "four", "five"]);
  });

  it("is what browsers do not display of HTML, and not what a stronger rule shows", async () => {
    const html = `<html><head><style>.x { display: none !important } p.x { display: block } nav > p { display: none }
      .b { display: none } .a { display: block }</style></head><body><p>plain</p><p class="x">one</p><p class="a b">shown</p>
      <nav><div><p>deeper</p></div><p>two</p></nav><template>three</template><dialog>four</dialog><dialog open>open</dialog>
      <p style="font: bold 0/0 serif">five</p><p style="font: 700 12px/1 serif">large</p></body></html>`;
    const { lines, hidden } = await read(html, "page.html");
    expect(lines.flat().join(" ")).toBe("plain shown deeper open large");
    expect(hidden.map((each) => each.text).join(" ")).toBe("one two three four five");
  });

  it("is in the sheets, rows, columns and slides of Office documents that are hidden", async () => {
    const rows = [
      ["shown", "column"],
      ["row", "row"],
    ];
    const options = { columns: '<cols><col min="2" max="2" hidden="1"/></cols>', rowAttributes: ' hidden="1"' };
    const workbook = await read(createXlsx({ Sheet1: rows }, options), "book.xlsx");
    expect(workbook).toMatchObject({ lines: [["shown"]], hidden: [{ text: "column" }, { text: "row row" }] });
    const slides = await read(createPptx([["shown"], ["secret"]], [1]), "slides.pptx");
    expect(slides).toMatchObject({
      lines: [["shown"]],
      hidden: [{ text: "secret", reason: HiddenReason.NOT_DISPLAYED }],
    });
    const none = await read(createOpenDocument("text", ["shown"]), "text.odt");
    expect(none).toMatchObject({ lines: [["shown"]], hidden: [] });
    const rich = await read("{\\rtf1 shown{\\v secret}\\par {\\deleted gone}}", "text.rtf");
    expect(rich.lines).toEqual([["shown"]]);
    expect(rich.hidden).toEqual([
      { text: "secret", reason: HiddenReason.NOT_DISPLAYED },
      { text: "gone", reason: HiddenReason.DELETED },
    ]);
  });

  it("is in RTF text that is tiny or white, where nothing shades it", async () => {
    const readRtf = (body: string) =>
      read(`{\\rtf1{\\colortbl;\\red255\\green255\\blue254;\\red0\\green0\\blue0;}shown ${body}}`, "text.rtf");
    expect(await readRtf("{\\cf1 white}{\\fs1 tiny} again")).toMatchObject({
      lines: [["shown again"]],
      hidden: [
        { text: "white", reason: HiddenReason.COLOR },
        { text: "tiny", reason: HiddenReason.TINY },
      ],
    });
    const row = (shading: string): string => `\\trowd${shading}\\cellx100\\pard\\intbl{\\cf1 white}\\cell\\row\\pard `;
    expect((await readRtf(row(""))).hidden).toMatchObject([{ text: "white" }]);
    for (const visible of [
      "{\\highlight2\\cf1 white}",
      "{\\cf1\\plain white}",
      "\\pard\\cbpat2{\\cf1 white}",
      row("\\clcbpat2"),
      "{\\shptxt{\\cf1 white}}",
      "{\\*\\background}{\\cf1 white}",
      "{\\cf2 white}{\\cf0 .}",
    ]) {
      const { lines, hidden } = await readRtf(visible);
      expect([lines.flat().join(" "), hidden], visible).toEqual([expect.stringContaining("white"), []]);
    }
    expect((await readRtf("\\pard\\cbpat2\\pard{\\cf1 white}")).hidden).toMatchObject([{ text: "white" }]);
  });

  it("is in characters without a width, but not where a script or an emoji needs them", async () => {
    expect(findZeroWidth("To\u200btal and 1\u2060000")).toMatchObject([
      { text: "Characters without a width: U+200B, U+2060" },
    ]);
    const orders = [..."pay 9"].map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join("");
    expect(findZeroWidth(`Hello${orders}`)).toMatchObject([{ text: "pay 9" }]);
    const needed =
      "\ufeffSil\u00adbe \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u{1f468}\u200d\u{1f469} \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} \u200e(1)\u200f";
    expect(findZeroWidth(needed)).toEqual([]);
    const between = `To\u200btal \u20635${orders}`;
    for (const name of ["a.txt", "a.csv", "a.html"]) {
      const { lines, hidden } = await read(name === "a.html" ? `<html>${between}</html>` : between, name);
      expect([lines, hidden.map((each) => each.text)], name).toEqual([
        [["Total 5"]],
        ["Characters without a width: U+200B", "pay 9"],
      ]);
    }
  });
});
