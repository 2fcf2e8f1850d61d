import { deflateSync } from "node:zlib";
import { createBomb, createDocx } from "@switchyard/extraction/testing/office";
import { drawSheet } from "@switchyard/extraction/testing/pictures";
import { createTiff, describePixels } from "@switchyard/extraction/testing/tiff";

/** A document that is built to be slow, large or deeply nested, and created on demand. */
export interface HostileDocument {
  readonly name: string;
  readonly filename: string;
  readonly make: () => Uint8Array | Promise<Uint8Array>;
}

const mebibyte = 1024 * 1024;
/** A little below the maximum size of a document. */
const largest = 24 * mebibyte;

const prose = "The quarterly statement of Harbour Lane lists 17 items for 1,204.50 EUR, due on 31 January 2026.\n";

/** Returns a text of `bytes` bytes that repeats a piece of ASCII. */
function repeated(piece: string, bytes = largest): string {
  return piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);
}

function document(filename: string, name: string, make: () => string): HostileDocument {
  return { name, filename, make: () => Buffer.from(make()) };
}

/** One document of each kind that was slow, or could be. */
export const hostileDocuments: readonly HostileDocument[] = [
  document("prose.txt", "text: 24 MiB of prose", () => repeated(prose)),
  document("line.txt", "text: one line of 24 MiB with blanks", () => repeated(prose.replaceAll("\n", " "))),
  document("word.txt", "text: one word of 24 MiB", () => repeated("x")),
  document("letters.txt", "text: words of one letter", () => repeated("a ")),
  document("letter-lines.txt", "text: lines of one letter", () => repeated("a\n")),
  document("breaks.txt", "text: ten million line breaks", () => `${"\n".repeat(10_000_000)}the end`),
  document("pages.txt", "text: ten million page breaks", () => `${"\f".repeat(10_000_000)}the end`),
  document("blanks.txt", "text: 24 MiB of blanks", () => `a${" ".repeat(largest - 2)}b`),
  document("marks.txt", "text: 24 MiB of zero-width characters", () => `a${"\u200b".repeat(largest / 3 - 1)}`),
  document("numbers.txt", "text: 24 MiB of digits", () => repeated("1234567890")),
  document("dates.txt", "text: dates and amounts only", () => repeated("31.01.2026 1,234.50 EUR ")),
  document("table.csv", "CSV: 24 MiB of rows", () => repeated("a,b,1.50,2026-01-31\n")),
  document("quote.csv", "CSV: a quote that never ends", () => `a,"${repeated('b""', largest - 3)}`),
  document("cells.csv", "CSV: one row of 12 million cells", () => repeated("1,")),
  document("items.xml", "XML: 24 MiB of elements", () => `<?xml version="1.0"?><r>${repeated("<i>1</i>")}</r>`),
  document("deep.xml", "XML: three million levels", () => `<?xml version="1.0"?>${repeated("<r>")}`),
  document("list.json", "JSON: 24 MiB of numbers", () => `[${repeated("1,")}1]`),
  document("deep.json", "JSON: 24 million levels", () => repeated("[")),
  document("text.rtf", "RTF: 24 MiB of text", () => `{\\rtf1 ${repeated("word\\par ")}}`),
  document("deep.rtf", "RTF: 24 million groups", () => `{\\rtf1 ${repeated("{")}`),
  document("escapes.rtf", "RTF: six million escapes", () => `{\\rtf1 ${repeated("\\'41")}}`),
  document("siblings.html", "HTML: two million siblings", () => `<html><body>${repeated("<p>word</p>")}`),
  document("unclosed.html", "HTML: unclosed paragraphs", () => `<html><body>${repeated("<p>word ")}`),
  document("inline.html", "HTML: unclosed inline elements", () => `<html><body>${repeated("<b>word ")}`),
  document("deep.html", "HTML: 200,000 levels", () => `<html><body>${"<div>".repeat(200_000)}`),
  document("attribute.html", "HTML: an attribute of 24 MiB", () => `<html><body><p a="${repeated("v")}">word</p>`),
  document("attributes.html", "HTML: six million attributes", () => `<html><body><p ${repeated("a=b ")}>word</p>`),
  document("table.html", "HTML: a table of 1.8 million cells", () => {
    return `<html><body><table>${repeated("<tr><td>1</td><td>2</td></tr>")}</table>`;
  }),
  document(
    "row.html",
    "HTML: a table of one row",
    () => `<html><body><table><tr>${repeated("<td>1</td>")}</tr></table>`,
  ),
  document("wide.html", "HTML: a cell of a billion columns", () => "<html><body><table><tr><td colspan=1e9>word"),
  document("quotes.html", "HTML: text in 400 quotations", () => {
    return `<html><body>${"<blockquote>".repeat(400)}<pre>${repeated("a\n", 7_000_000)}`;
  }),
  document("tables.html", "HTML: text in 160 tables", () => {
    return `<html><body>${"<table><tr><td>".repeat(160)}<pre>${repeated("a\n", 7_000_000)}`;
  }),
  document("entities.html", "HTML: five million entities", () => `<html><body>${repeated("&amp;")}`),
  document("brackets.html", "HTML: 24 MiB of <", () => `<html><body>${repeated("<")}`),
  document("comment.html", "HTML: a comment that never ends", () => `<html><body>word<!--${repeated("-")}`),
  document("title.html", "HTML: titles without an end", () => `<html><head>${repeated("<title")}`),
  document("body.eml", "mail: a body of 24 MiB", () => `${mailHeader}\n${repeated(prose)}`),
  document("headers.eml", "mail: 24 MiB of header fields", () => `${mailHeader}${repeated("X-A: b\n")}\n\nbody`),
  document("header.eml", "mail: one header field of 24 MiB", () => `${mailHeader}X-A: ${repeated("b ")}\n\nbody`),
  document("words.eml", "mail: a subject of encoded words", () => {
    return `From: a@example.com\nSubject: ${repeated("=?utf-8?q?a?= ", largest)}\n\nbody`;
  }),
  document("recipients.eml", "mail: a million recipients", () => {
    return `From: a@example.com\nTo: ${repeated("a@example.com, ")}\nSubject: s\n\nbody`;
  }),
  document("parts.eml", "mail: 500,000 parts", () => {
    return `${mailHeader}Content-Type: multipart/mixed; boundary=b\n\n${repeated("--b\n\nword\n")}\n--b--\n`;
  }),
  document("nested.eml", "mail: 100,000 messages in each other", () => {
    return `${mailHeader}${"Content-Type: message/rfc822\n\nFrom: a@example.com\n".repeat(100_000)}\nbody`;
  }),
  document("boundaries.eml", "mail: multiparts in each other", () => {
    const open = (_: unknown, n: number) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`;
    return `${mailHeader}${Array.from({ length: 100_000 }, open).join("")}\nbody`;
  }),
  document("flowed.eml", "mail: 24 MiB of flowed lines", () => {
    return `${mailHeader}Content-Type: text/plain; format=flowed\n\n${repeated("> word \n")}`;
  }),
  document("attachments.eml", "mail: 50 attachments of HTML", () => {
    const attached = `--b\nContent-Type: text/html\nContent-Disposition: attachment; filename=a.html\n\n<html><body>`;
    const parts = `${attached}${repeated("<p>w</p>", 480_000)}\n`.repeat(50);
    return `${mailHeader}Content-Type: multipart/mixed; boundary=b\n\n${parts}--b--\n`;
  }),
  document("html.eml", "mail: 24 MiB of HTML", () => {
    return `${mailHeader}Content-Type: text/html\n\n<html><body>${repeated("<p>word</p>")}`;
  }),
  {
    name: "PDF: 619 pages of text",
    filename: "pages.pdf",
    make: () => pdf(Array.from({ length: 619 }, () => page(50))),
  },
  { name: "PDF: 20,000 pages", filename: "many.pdf", make: () => pdf(Array.from({ length: 20_000 }, () => page(1))) },
  { name: "PDF: one page of a million glyphs", filename: "glyphs.pdf", make: () => pdf([glyphs(1_000_000)]) },
  { name: "PDF: one page of 250,000 words", filename: "words.pdf", make: () => pdf([words(250_000)]) },
  { name: "PDF: a stream of 2 GiB", filename: "bomb.pdf", make: () => pdf([bomb(2048)]) },
  {
    name: "PDF: 50 million operators",
    filename: "operators.pdf",
    make: () => pdf([deflateSync("q Q ".repeat(25_000_000))]),
  },
  document("laughs.xml", "XML: a billion laughs", () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join("");
    return `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">${laughs}]><x>&l9;</x>`;
  }),
  document("external.xml", "XML: an external entity", () => {
    return `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>`;
  }),
  { name: "docx: a bomb of 1 GiB", filename: "bomb.docx", make: () => createBomb(1024) },
  {
    name: "docx: a bomb that lies about its size",
    filename: "lie.docx",
    make: async () => lie(await createBomb(1024)),
  },
  {
    name: "docx: 10 million elements",
    filename: "elements.docx",
    make: () => createDocx([], { body: repeated("<w:p/>") }),
  },
  { name: "PNG: 30,000 x 30,000 pixels", filename: "large.png", make: () => resizeHeader(createPicture(9, 9), 30_000) },
  { name: "PNG: 7,900 x 7,900 pixels", filename: "picture.png", make: () => createPicture(7_900, 7_900) },
  {
    name: "TIFF: 30,000 x 30,000 pixels",
    filename: "large.tif",
    make: () => createTiff([{ fields: describePixels(30_000, 30_000), segments: [new Uint8Array(9)] }]),
  },
  {
    name: "TIFF: 10,000 pages",
    filename: "pages.tif",
    make: () => {
      const page = { fields: describePixels(200, 200), segments: [new Uint8Array(40_000).fill(255)] };
      const fields = { ...page.fields, 273: 8, 279: 40_000 };
      return createTiff([page, ...Array.from({ length: 9_999 }, () => ({ fields, segments: [] }))]);
    },
  },
];

function createPicture(width: number, height: number): Buffer {
  return drawSheet(width, height, {}, () => undefined).toBuffer("image/png");
}

/** Writes another size into the header of a PNG. */
function resizeHeader(png: Buffer, side: number): Buffer {
  png.writeUInt32BE(side, 16);
  png.writeUInt32BE(side, 20);
  return png;
}

/** Writes a small size of unpacked files into the directory of a ZIP archive, and into the files. */
function lie(archive: Buffer): Buffer {
  for (const [signature, place] of [
    ["PK\u0001\u0002", 24],
    ["PK\u0003\u0004", 22],
  ] as const) {
    for (let at = archive.indexOf(signature, 0, "latin1"); at >= 0; at = archive.indexOf(signature, at + 4, "latin1")) {
      archive.writeUInt32LE(Math.min(archive.readUInt32LE(at + place), 1_000), at + place);
    }
  }
  return archive;
}

const mailHeader =
  "From: a@example.com\nTo: b@example.com\nSubject: s\nDate: Sat, 31 Jan 2026 12:00:00 +0000\nMIME-Version: 1.0\n";

function page(lines: number): Buffer {
  const shown = Array.from({ length: lines }, (_, line) => `1 0 0 1 50 ${780 - 15 * line} Tm (${prose.trim()}) Tj`);
  return deflateSync(`BT /F1 9 Tf ${shown.join(" ")} ET`);
}

/** Returns a string that extends far beyond the edge of the page. */
function glyphs(count: number): Buffer {
  return deflateSync(`BT /F1 9 Tf 50 700 Td (${"a".repeat(count)}) Tj ET`);
}

/** Returns words of one letter, each at its own position. */
function words(count: number): Buffer {
  const shown = Array.from({ length: count }, (_, word) => {
    return `1 0 0 1 ${(word % 500) * 1.2} ${(Math.floor(word / 500) * 1.6) % 800} Tm (a) Tj`;
  });
  return deflateSync(`BT /F1 1 Tf ${shown.join("\n")} ET`);
}

/** Returns data that is compressed twice: 2 GiB of one byte are 2 MB when compressed once, and some kilobytes when compressed again. */
function bomb(mebibytes: number): Buffer {
  return deflateSync(Buffer.alloc(mebibytes * mebibyte, "%"));
}

/** Creates a PDF with one page for each compressed stream of operators. */
function pdf(contents: readonly Buffer[]): Buffer {
  const first = 4;
  const kids = contents.map((_, index) => `${first + 2 * index} 0 R`).join(" ");
  const objects = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    ...contents.flatMap((content, index) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${first + 2 * index + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      ),
      Buffer.concat([
        Buffer.from(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`),
        content,
        Buffer.from("\nendstream"),
      ]),
    ]),
  ];
  const pieces = [Buffer.from("%PDF-1.7\n")];
  let offset = pieces[0]!.length;
  const offsets = objects.map((object, index) => {
    const piece = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    pieces.push(piece);
    offset += piece.length;
    return offset - piece.length;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${offset}\n%%EOF\n`;
  return Buffer.concat([...pieces, Buffer.from(end)]);
}
