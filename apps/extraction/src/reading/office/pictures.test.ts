import { createCanvas } from "@napi-rs/canvas";
import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import {
  changeFiles,
  createDocx,
  createOpenDocument,
  createPptx,
  createRelations,
  createXlsx,
} from "../../testing/office.ts";
import { createTiff, describePixels } from "../../testing/tiff.ts";
import { readDocument } from "../document.ts";
import { defaultLimits } from "../limits.ts";

/** Pictures are distinguished by their widths. */
const draw = (width: number, height = 400): Buffer => createCanvas(width, height).toBuffer("image/png");
const files = (folder: string): Record<string, Buffer> => ({
  [`${folder}/first.png`]: draw(500),
  [`${folder}/second.png`]: draw(600),
  [`${folder}/third.png`]: draw(700),
  [`${folder}/logo.png`]: draw(100, 80),
});
const relations = (folder: string): string =>
  createRelations({
    r1: ["image", `${folder}/first.png`],
    r2: ["image", `${folder}/second.png`],
    r3: ["image", `${folder}/third.png`],
    r4: ["image", `${folder}/logo.png`],
    r5: ["image", `${folder}/missing.png`],
  });

/** Returns the pages of a document: their texts, or the widths of their pictures. */
async function look(
  bytes: Uint8Array,
  limits = {},
): Promise<{ pages: (string | number)[]; omissions: readonly string[] }> {
  const { pages, omissions, problem } = await readDocument(
    { bytes: new Uint8Array(bytes), filename: "a", contentType: "" },
    { ...defaultLimits, ...limits },
  );
  const shown = pages.map(({ picture, lines, source }) => {
    if (picture === undefined) return lines.map(({ text }) => text).join("\n");
    expect(source).toBe(TextSource.OCR);
    return picture.kind === "file" ? Buffer.from(picture.bytes).readUInt32BE(16) : picture.kind;
  });
  return { pages: problem === undefined ? shown : [problem.message], omissions };
}

describe("pictures in Office documents with little text", () => {
  const blip = (id: string): string => `<w:drawing><pic:pic><a:blip r:embed="${id}"/></pic:pic></w:drawing>`;
  const run = (content: string, properties = ""): string => `<w:r><w:rPr>${properties}</w:rPr>${content}</w:r>`;
  const paragraphs = [
    run(blip("r2")),
    `<w:del>${run(blip("r3"))}</w:del>`,
    run(blip("r3"), "<w:vanish/>"),
    run(`<w:drawing><wp:docPr hidden="1"/><a:blip r:embed="r3"/></w:drawing>`),
    run(blip("r4") + blip("r5") + blip("r2")),
    run(`<w:pict><v:imagedata r:id="r1"/></w:pict>`),
  ];
  const createIllustrated = (text: readonly string[]): Buffer =>
    changeFiles(createDocx(text, { body: paragraphs.map((each) => `<w:p>${each}</w:p>`).join("") }), {
      ...files("word/media"),
      "word/_rels/document.xml.rels": relations("media"),
    });

  it("are pages after the text of a docx, in their order, but not those that are hidden, deleted or small", async () => {
    expect(await look(createIllustrated(["See below."]))).toEqual({ pages: ["See below.", 600, 500], omissions: [] });
    expect((await look(createIllustrated([]))).pages).toEqual([600, 500]);
  });

  it("are not read if the text is enough or recognition is off, and only up to the limits", async () => {
    const long = "A text that is long enough. ".repeat(6).trim();
    expect((await look(createIllustrated([long]))).pages).toEqual([long]);
    expect((await look(createIllustrated(["See below."]), { maxPictures: 0 })).pages).toEqual(["See below."]);
    expect(await look(createIllustrated(["See below."]), { maxPictures: 1 })).toEqual({
      pages: ["See below.", 600],
      omissions: ["Only the first 1 pictures of pages were read."],
    });
    const enormous = draw(500);
    enormous.writeUInt32BE(30_000, 16);
    enormous.writeUInt32BE(30_000, 20);
    const bytes = changeFiles(createIllustrated([]), { "word/media/second.png": enormous });
    expect((await look(bytes)).pages).toEqual([500]);
  });

  it("belong to their slides, but not those of hidden slides or outside of a slide", async () => {
    const picture = (id: string, place = ""): string =>
      `<p:pic><p:nvPicPr><p:cNvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="${id}"/></p:blipFill><p:spPr>${place}</p:spPr></p:pic>`;
    const outside = `<a:xfrm><a:off x="9000" y="0"/><a:ext cx="10" cy="10"/></a:xfrm>`;
    const add =
      (...pictures: string[]) =>
      (slide: string) =>
        slide.replace("</p:spTree>", `${pictures.join("")}</p:spTree>`);
    const tiff = createTiff([
      { fields: describePixels(400, 300), segments: [new Uint8Array(120_000)] },
      { fields: describePixels(400, 300), segments: [new Uint8Array(120_000)] },
    ]);
    const bytes = changeFiles(createPptx([["One"], ["Hidden"], []], [1]), {
      ...files("ppt/media"),
      "ppt/media/missing.png": tiff,
      "ppt/presentation.xml": (text) => text.replace("<p:sldIdLst>", `<p:sldSz cx="9000" cy="6000"/><p:sldIdLst>`),
      "ppt/slides/slide1.xml": add(picture("r1"), picture("r2", outside)),
      "ppt/slides/slide2.xml": add(picture("r2")),
      "ppt/slides/slide3.xml": add(picture("r3"), picture("r5")),
      ...Object.fromEntries(
        [1, 2, 3].map((number) => [`ppt/slides/_rels/slide${number}.xml.rels`, relations("../media")]),
      ),
    });
    expect((await look(bytes)).pages).toEqual(["One", 500, 700, "tiff", "tiff"]);
  });

  it("belong to their sheets, but not those of hidden sheets or between hidden cells", async () => {
    const anchor = (id: string, row: number): string =>
      `<xdr:twoCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>${row}</xdr:row></xdr:from><xdr:to><xdr:col>1</xdr:col><xdr:row>${row}</xdr:row></xdr:to><xdr:pic><xdr:blipFill><a:blip r:embed="${id}"/></xdr:blipFill></xdr:pic></xdr:twoCellAnchor>`;
    const draws = (text: string): string => text.replace("</worksheet>", `<drawing r:id="rId1"/></worksheet>`);
    const sheets = { A: [["Item"], ["Secret"]], B: [["Hidden"]] };
    const bytes = changeFiles(
      createXlsx(sheets, { attributes: { B: 'state="hidden"' }, rowAttributes: ' hidden="1"' }),
      {
        ...files("xl/media"),
        "xl/worksheets/sheet1.xml": draws,
        "xl/worksheets/sheet2.xml": draws,
        "xl/worksheets/_rels/sheet1.xml.rels": createRelations({ rId1: ["drawing", "../drawings/drawing1.xml"] }),
        "xl/worksheets/_rels/sheet2.xml.rels": createRelations({ rId1: ["drawing", "../drawings/drawing2.xml"] }),
        "xl/drawings/drawing1.xml": `<xdr:wsDr>${anchor("r1", 0)}${anchor("r2", 1)}</xdr:wsDr>`,
        "xl/drawings/drawing2.xml": `<xdr:wsDr>${anchor("r3", 0)}</xdr:wsDr>`,
        "xl/drawings/_rels/drawing1.xml.rels": relations("../media"),
        "xl/drawings/_rels/drawing2.xml.rels": relations("../media"),
      },
    );
    expect((await look(bytes)).pages).toEqual(["Item", 500]);
  });

  it.each(["text", "spreadsheet"] as const)(
    "are read of an Open Document (%s), but not those of hidden parts",
    async (kind) => {
      const image = (name: string): string =>
        `<text:p><draw:frame><draw:image xlink:href="Pictures/${name}.png"/></draw:frame></text:p>`;
      const shown =
        kind === "text"
          ? `${image("second")}<text:section text:display="none">${image("third")}</text:section>${image("first")}${image("logo")}`
          : `<table:table><table:table-row><table:table-cell>${image("second")}</table:table-cell></table:table-row><table:table-row table:visibility="collapse"><table:table-cell>${image("third")}</table:table-cell></table:table-row><table:shapes>${image("first")}</table:shapes></table:table>`;
      const bytes = changeFiles(createOpenDocument(kind, []), {
        ...files("Pictures"),
        "content.xml": (text) => text.replace(`</office:${kind}>`, `${shown}</office:${kind}>`),
      });
      expect((await look(bytes)).pages).toEqual([600, 500]);
    },
  );
});

describe("pictures in messages with little text", () => {
  const part = (type: string, content: string, fields = ""): string =>
    `--x\r\nContent-Type: ${type}\r\n${fields}\r\n${content}\r\n`;
  const picture = (width: number, fields: string): string =>
    part("image/png", draw(width).toString("base64"), `Content-Transfer-Encoding: base64\r\n${fields}`);
  const write = (kind: string, ...parts: string[]): Buffer =>
    Buffer.from(
      `From: a@b.c\r\nTo: d@e.f\r\nMessage-ID: <1@x>\r\nSubject: Invoice\r\nContent-Type: multipart/${kind}; boundary=x\r\n\r\n${parts.join("")}--x--\r\n`,
    );
  const pictures = [
    picture(500, "Content-ID: <one@x>\r\n"),
    picture(600, "Content-ID: <two@x>\r\n"),
    picture(700, "Content-ID: <three@x>\r\n"),
  ];
  const html = (text: string): string =>
    `<p>${text}<img src="cid:two@x"><img src="cid:one@x"><img style="display:none" src="cid:three@x"><img src="https://example.invalid/a.png">`;

  it("are pages after the text, in the order of the HTML, but not those that are hidden", async () => {
    const bytes = write("related", part("text/html", html("Hi")), ...pictures);
    expect((await look(bytes)).pages.slice(1)).toEqual([600, 500]);
    const long = "A text that is long enough. ".repeat(6);
    expect((await look(write("related", part("text/html", html(long)), ...pictures))).pages).toHaveLength(1);
    expect((await look(bytes, { maxPictures: 0 })).pages).toHaveLength(1);
  });

  it("that are in the HTML itself are read, among the others, without a name", async () => {
    const inside = `<img src="DATA:image/png;base64,${draw(800).toString("base64")}">`;
    const source = write("related", part("text/html", inside + html("Hi") + inside), ...pictures);
    expect((await look(source)).pages.slice(1)).toEqual([800, 600, 500]);
    const { pages } = await readDocument(
      { bytes: new Uint8Array(source), filename: "a", contentType: "" },
      defaultLimits,
    );
    expect(pages[1]?.attachment).toBe("");
  });

  it("that a telephone adds to a text are read, unless an attachment has text", async () => {
    const inline = picture(500, "Content-Disposition: inline; filename=a.png\r\n");
    expect((await look(write("mixed", part("text/plain", "Hi"), inline))).pages.slice(1)).toEqual([500]);
    const attachment = part(
      "text/plain",
      "A text that is long enough. ".repeat(6),
      "Content-Disposition: attachment; filename=a.txt\r\n",
    );
    expect((await look(write("mixed", part("text/plain", "Hi"), inline, attachment))).pages).toHaveLength(2);
  });
});

describe("pictures in HTML documents with little text", () => {
  const address = (width: number): string => `data:image/png;base64,${draw(width).toString("base64")}`;
  const show = (width: number, attributes = ""): string => `<img ${attributes} src="${address(width)}">`;
  const write = (text: string): Buffer => Buffer.from(`<!doctype html><p>${text}`);

  it("are pages after the text, but not those that are hidden, small, elsewhere, or of another kind", async () => {
    const others = `<img src="a.png"><img src="https://example.invalid/a.png"><img src="data:image/svg+xml,%3Csvg/%3E"><img src="data:image/png;base64,!!!!">`;
    const hidden = `${show(700, "hidden")}${show(700, 'style="opacity:0"')}${show(700, 'width="1"')}${show(700, 'style="height:2px"')}`;
    const shown = `${show(600, 'width="100%"')}${show(500, 'width="300" height="200"')}${show(600)}`;
    const small = `<img src="data:image/png;base64,${draw(100, 80).toString("base64")}">`;
    expect(await look(write(`Hi${others}${hidden}${small}${shown}`))).toEqual({
      pages: ["Hi", 600, 500],
      omissions: [],
    });
    expect((await look(write(show(500)))).pages).toEqual([500]);
    const escaped = address(500).replaceAll("+", "%2B").replaceAll("=", "%3d");
    expect((await look(write(`<img src="${escaped}">`))).pages).toEqual([500]);
  });

  it("are not read if the text is enough or recognition is off, and only up to the limits", async () => {
    expect((await look(write(`${"A text that is long enough. ".repeat(6)}${show(500)}`))).pages).toHaveLength(1);
    expect((await look(write(`Hi${show(500)}`), { maxPictures: 0 })).pages).toEqual(["Hi"]);
    expect(await look(write(`Hi${show(500)}${show(600)}`), { maxPictures: 1 })).toEqual({
      pages: ["Hi", 500],
      omissions: ["Only the first 1 pictures of pages were read."],
    });
    const many = Array.from({ length: 101 }, (_, number) => `<img src="data:image/png;base64,${number}AAA">`).join("");
    expect((await look(write(`Hi${many}`))).omissions).toEqual(["Only the first 100 pictures were read."]);
  });
});
