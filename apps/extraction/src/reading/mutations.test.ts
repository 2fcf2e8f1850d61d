import { createCanvas } from "@napi-rs/canvas";
import type { Canvas } from "@napi-rs/canvas";
import fc from "fast-check";
import {
  changeFiles,
  createDocx,
  createOpenDocument,
  createPptx,
  createRelations,
  createXlsx,
} from "../testing/office.ts";
import { ciiInvoice, drawInvoice, ublInvoice } from "../testing/invoices.ts";
import { createPdf } from "../testing/pdf.ts";
import { createTiff, describePixels } from "../testing/tiff.ts";
import { readDocument } from "./document.ts";
import { defaultLimits } from "./limits.ts";
import type { ReadLimits } from "./limits.ts";
import { renderPage } from "./rendering/rendering.ts";
import { decodePicture, usefulPixels } from "./recognition/picture/decoding.ts";
import { drawTiffPage } from "./recognition/picture/tiff/drawing.ts";
import type { PagePicture } from "./recognition/picture/page-picture.ts";

/** The number of mutated documents: 150 in `npm test`, 6,000 in `npm run test:long`. */
const numRuns = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 6_000 : 150;

const table = [
  ["Item", "Amount"],
  ["Steel", 12.5],
];

function toMail(name: string, bytes: Buffer): string {
  return `From: a@b.c\r\nTo: d@e.f\r\nMessage-ID: <1@x>\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString("base64")}\r\n--x--\r\n`;
}

/** Creates the attachment winmail.dat with one file. */
function createTnef(content: Buffer): Buffer {
  const attribute = (level: number, id: number, data: Buffer): Buffer => {
    const head = Buffer.alloc(9);
    head.writeUInt8(level, 0);
    head.writeUInt32LE(id, 1);
    head.writeUInt32LE(data.length, 5);
    const sum = Buffer.alloc(2);
    sum.writeUInt16LE(data.reduce((total, byte) => total + byte, 0) & 0xffff);
    return Buffer.concat([head, data, sum]);
  };
  return Buffer.concat([
    Buffer.from([0x78, 0x9f, 0x3e, 0x22, 1, 0]),
    attribute(2, 0x69002, Buffer.alloc(14)),
    attribute(2, 0x18010, Buffer.from("a.txt\0")),
    attribute(2, 0x6800f, content),
  ]);
}

/** Draws a picture that is large enough to be a scan. */
function createPicture(): Canvas {
  const canvas = createCanvas(400, 300);
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, 400, 300);
  context.fillStyle = "black";
  for (let at = 0; at < 9; at++) context.fillRect(40 * at, 30 * at, 25, 12);
  return canvas;
}

/** Creates a document of each format. */
async function createDocuments(): Promise<Record<string, Buffer>> {
  const canvas = createPicture();
  const png = canvas.toBuffer("image/png");
  const pixels = Buffer.alloc(120_000, 200);
  const bits = Buffer.alloc(15_000, 0x5a);
  const page = (compression: number, segment: Buffer, others = {}) => ({
    fields: { ...describePixels(400, 300), 259: compression, ...others },
    segments: [segment],
  });
  const blip = `<w:p><w:r><w:drawing><a:blip r:embed="r1"/></w:drawing></w:r></w:p>`;
  return {
    docx: createDocx(["Invoice", table]),
    "docx with a picture": changeFiles(createDocx(["Invoice"], { body: blip }), {
      "word/media/a.png": png,
      "word/_rels/document.xml.rels": createRelations({ r1: ["image", "media/a.png"] }),
    }),
    xlsx: createXlsx({ Sheet: table }),
    pptx: createPptx([["Invoice"]]),
    odt: createOpenDocument("text", ["Invoice", table]),
    ods: createOpenDocument("spreadsheet", [table]),
    "UBL invoice": Buffer.from(ublInvoice()),
    "CII invoice": Buffer.from(`\ufeff${ciiInvoice()}`, "utf16le"),
    "PDF with an invoice": await createPdf((pdf) => drawInvoice(pdf, ciiInvoice())),
    "scanned PDF with a text layer": await createPdf((pdf) => {
      pdf.image(png, 50, 50, { width: 400 });
      pdf.addContent("3 Tr").text("Invoice 4711", 60, 60);
    }),
    mail: Buffer.from(toMail("a.xlsx", createXlsx({ Sheet: table }))),
    "mail with winmail.dat": Buffer.from(toMail("winmail.dat", createTnef(Buffer.from("Invoice 4711")))),
    "HTML mail with a picture": Buffer.from(
      `From: a@b.c\r\nTo: d@e.f\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n<p>Hi<img src="cid:a">\r\n--x\r\nContent-Type: image/png\r\nContent-ID: <a>\r\nContent-Transfer-Encoding: base64\r\n\r\n${png.toString("base64")}\r\n--x--\r\n`,
    ),
    csv: Buffer.from('Item;Amount\r\n"Steel; brass";12,50\r\n'),
    text: Buffer.from("Invoice 4711\f\r\nTotal\t12.50"),
    html: Buffer.from("<html><style>p{color:white}</style><table><tr><td>Item<td>12.50</table><p>x</html>"),
    "html with a picture": Buffer.from(`<p>Hi<img src="data:image/png;base64,${png.toString("base64")}">`),
    rtf: Buffer.from("{\\rtf1\\ansi Invoice\\par 12.50}"),
    png,
    jpeg: canvas.toBuffer("image/jpeg", 80),
    webp: canvas.toBuffer("image/webp", 80),
    gif: canvas.toBuffer("image/gif"),
    "TIFF of several pages": createTiff([page(1, pixels), page(32_773, pixels), page(5, pixels)]),
    "TIFF with big-endian numbers": createTiff([page(8, pixels, { 317: 2 }), page(1, pixels, { 284: 2 })], {
      bigEndian: true,
    }),
    "TIFF with offsets of eight bytes": createTiff([page(1, pixels), page(5, pixels)], { large: true }),
    "TIFF of facsimiles": createTiff([2, 3, 4].map((compression) => page(compression, bits, { 258: 1, 292: 1 }))),
    "TIFF with JPEG": createTiff([page(7, canvas.toBuffer("image/jpeg", 80), { 258: [8, 8, 8], 262: 6, 277: 3 })]),
  };
}

/** Decodes the picture of a page as the thread that recognizes it does. */
async function decode(picture: PagePicture): Promise<void> {
  if (picture.kind === "file") await decodePicture(picture.bytes, picture.format);
  if (picture.kind === "tiff") await drawTiffPage(picture.bytes, picture.number, usefulPixels);
}

describe("mutated documents of every format", () => {
  it("are read or have a problem, and no reader fails", async () => {
    const documents = await createDocuments();
    const outcomes = { read: 0, problem: 0, slowest: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(documents)),
        // Most of what matters is at the beginning or the end of a file.
        fc.array(fc.tuple(fc.oneof(fc.nat(), fc.nat(400), fc.integer({ min: -400, max: -1 })), fc.nat(255)), {
          minLength: 1,
          maxLength: 8,
        }),
        fc.option(fc.nat(), { freq: 3 }),
        fc.constantFrom("a", "a.csv", "a.xml", "a.pdf"),
        fc.constantFrom<ReadLimits>(defaultLimits, { ...defaultLimits, maxPictures: 0 }),
        async (name, changes, cut, filename, limits) => {
          const mutated = Buffer.from(documents[name]!);
          for (const [at, byte] of changes) {
            mutated[((at % mutated.length) + mutated.length) % mutated.length] = byte;
          }
          // Copied, because the reader of PDF takes the whole buffer.
          const bytes = new Uint8Array(cut === null ? mutated : mutated.subarray(0, cut % mutated.length));
          const started = performance.now();
          const image = await renderPage({ bytes: new Uint8Array(bytes), number: 1, width: 100, rotation: 0 });
          if (image.kind === "unsupported") expect(image.message).toMatch(/^[A-Z].*\.$/s);
          const { problem, pages } = await readDocument({ bytes, filename, contentType: "" }, limits);
          if (problem !== undefined) expect(problem.message).toMatch(/^[A-Z].*\.$/s);
          expect(pages.flatMap((page) => page.lines).every(({ text }) => text.trim() !== "")).toBe(true);
          const pictures = pages.flatMap(({ picture }) => picture ?? []);
          if (limits.maxPictures === 0) expect(pictures).toEqual([]);
          for (const picture of pictures) await decode(picture);
          outcomes[problem === undefined ? "read" : "problem"] += 1;
          outcomes.slowest = Math.max(outcomes.slowest, Math.round(performance.now() - started));
        },
      ),
      { numRuns },
    );
    if (numRuns > 1_000) console.log(`${numRuns} mutated documents: ${JSON.stringify(outcomes)}`);
  }, 1_800_000);
});
