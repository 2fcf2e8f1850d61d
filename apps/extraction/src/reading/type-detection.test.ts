import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { decodeText, looksLikeText } from "./decoding.ts";
import { detectType } from "./type-detection.ts";

const mail = "Received: from a by b\r\nFrom: a@example.com\r\nTo: b@example.com\r\nSubject: x\r\n\r\nHello";

describe("the type of a document", () => {
  it.each([
    ["a PDF, whatever is declared", "%PDF-1.4\n", "a.txt", "text/plain", "pdf", "application/pdf"],
    ["an email", mail, "", "", "email", "message/rfc822"],
    ["an mbox file with one email", `From a@example.com Thu\n${mail}`, "", "", "email", "message/rfc822"],
    ["an email with few fields, if it is declared", "From: a@b.c\n\nHi", "a.eml", "", "email", "message/rfc822"],
    ["a memo", "From: Ann\nTo: Bob\nSubject: Rent\n\nHi", "", "", "text", "text/plain"],
    ["HTML", "<!-- x -->\n<!DOCTYPE html><p>x", "", "text/plain", "html", "text/html"],
    ["XHTML", '<?xml version="1.0"?>\n<html xmlns="x">', "", "", "html", "text/html"],
    ["an HTML fragment, if it is declared", "<p>x</p>", "", "text/html; charset=utf-8", "html", "text/html"],
    ["text that mentions markup", "Use <html> for pages", "", "", "text", "text/plain"],
    ["XML", '<?xml version="1.0"?><Invoice/>', "", "text/xml", "xml", "text/xml"],
    ["XML without a declaration", "<a:b xmlns:a='x'/>", "", "", "xml", "application/xml"],
    ["XML with a document type", "<!DOCTYPE b SYSTEM 'x'><b/>", "a.txt", "text/plain", "xml", "application/xml"],
    ["RTF", "{\\rtf1 x}", "a.doc", "application/msword", "rtf", "application/rtf"],
    ["a table, by its file name", "a,b\n1,2", "A.CSV", "application/octet-stream", "table", "text/csv"],
    ["Markdown, if it is declared", "# x", "", "text/markdown", "text", "text/markdown"],
    ["text that begins like a bitmap", "BMW invoice 4711", "", "", "text", "text/plain"],
    ["text that is declared as an image", "hello", "", "image/png", "text", "text/plain"],
    ["PostScript", "%!PS-Adobe-3.0", "", "", undefined, "application/postscript"],
    ["a PDF with bytes before its header", "\u0001\0\0\u0002%PDF-1.4\n", "", "", "pdf", "application/pdf"],
    [
      "an archive that contains a PDF without compression",
      "PK\u0003\u0004\n\0\0\0\0\0\0\0\0\0" + "\0".repeat(12) + "\u0005\0\0\0a.pdf%PDF-1.4\n",
      "a.zip",
      "application/zip",
      undefined,
      "application/zip",
    ],
    [
      "a tape archive that contains a PDF",
      `a.pdf${"\0".repeat(252)}ustar\0${"\0".repeat(249)}%PDF-1.4\n\0\u00ff`,
      "a.pdf",
      "application/pdf",
      undefined,
      "application/x-tar",
    ],
    ["an empty archive", "PK\u0005\u0006" + "\0".repeat(18), "", "", undefined, "application/zip"],
    [
      "an image",
      "\u0089PNG\r\n\u001a\n\0\0\0\rIHDR\0\0\0\u0001\0\0\0\u0001",
      "a.txt",
      "text/plain",
      "picture",
      "image/png",
    ],
    ["a TIFF", "II*\0\u0008\0\0\0\0\0", "a.pdf", "application/pdf", "picture", "image/tiff"],
    ["a TIFF with big-endian numbers", "MM\0*\0\0\0\u0008\0\0", "", "", "picture", "image/tiff"],
    ["a TIFF with offsets of eight bytes", "II+\0\u0008\0\0\0\u0010\0\0\0\0", "", "", "picture", "image/tiff"],
    ["text with zero bytes and control characters", "Total\0 due:\u0001 12.00\u001a", "", "", "text", "text/plain"],
    [
      "a record that is filled up with zero bytes",
      "Invoice\0\0\0\0\0\0\0\0No. 4711\0\0\0",
      "",
      "",
      "text",
      "text/plain",
    ],
    ["control characters in what is declared as text", "\u0001\u0002\u0003", "a.txt", "", "text", "text/plain"],
    ["text whose name is that of a PDF", "Invoice 4711\0", "x.pdf", "application/pdf", "text", "text/plain"],
    ["a table that is declared as a spreadsheet", "a;b", "a.csv", "application/vnd.ms-excel", "table", "text/csv"],
    ["an email in UTF-16", Buffer.from(mail, "utf16le").toString("latin1"), "", "", "email", "message/rfc822"],
    [
      "bytes without a known format",
      "\u0090\u00f1\u0004\0\u0011\u00c3\u0002\u0080".repeat(20),
      "a.bin",
      "",
      undefined,
      "application/octet-stream",
    ],
    ["unknown bytes", "\u0001\u0002\0\u0003".repeat(9), "", "x/y", undefined, "x/y"],
  ])("is detected for %s", async (_, content, filename, contentType, format, expected) => {
    const bytes = Buffer.from(content, "latin1");
    expect(await detectType({ bytes, filename, contentType })).toEqual({ format, contentType: expected });
  });

  it.each([
    ["HEIC", "\0\0\0\u0018ftypheic\0\0\0\0mif1heic", "image/heic", "JPEG or PNG"],
    ["SVG", "<svg xmlns='x'/>", "image/svg+xml", "PDF or PNG"],
  ])("is not supported for %s, with advice", async (_, content, contentType, format) => {
    const bytes = Buffer.from(content, "latin1");
    const message = `Documents of type ${contentType} are not read. Save the picture as ${format}, and upload it again.`;
    expect(await detectType({ bytes, filename: "", contentType: "" })).toEqual({
      format: undefined,
      contentType,
      problem: { code: ReadProblem.UNSUPPORTED_FORMAT, message },
    });
  });

  it("is detected in bounded time for markup that is meant to be slow", async () => {
    const bytes = Buffer.from(`${"<!---->".repeat(9000)}x`);
    const begun = performance.now();
    expect(await detectType({ bytes, filename: "", contentType: "text/html" })).toMatchObject({ format: "html" });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});

describe("text encodings", () => {
  it.each([
    ["UTF-8", Buffer.from("Größe €")],
    ["UTF-8 with a byte order mark", Buffer.from("\ufeffGröße €")],
    ["Windows-1252", Buffer.from([0x47, 0x72, 0xf6, 0xdf, 0x65, 0x20, 0x80])],
    ["UTF-16 with a byte order mark", Buffer.from("\ufeffGröße €", "utf16le")],
    ["big-endian UTF-16 with a byte order mark", Buffer.from("\ufeffGröße €", "utf16le").swap16()],
    ["UTF-16 without a byte order mark", Buffer.from("Größe €  ", "utf16le")],
    ["UTF-8 with a damaged byte", Buffer.concat([Buffer.from("Größe €"), Buffer.from([0xff])])],
  ])("are detected: %s", (_, bytes) => {
    expect(decodeText(bytes).replace(/[\s\ufffd]+$/, "")).toBe("Größe €");
  });

  it("are detected without a byte order mark for alphabets other than Latin, but not for text with zero bytes", () => {
    const text = "Счёт-фактура № 4711 от 3 марта";
    expect(decodeText(Buffer.from(text, "utf16le"))).toBe(text);
    expect(decodeText(Buffer.from(text, "utf16le").swap16())).toBe(text);
    expect(decodeText(Buffer.from("Name\0\0\0Müller\0 4711"))).toBe("Name\tMüller\0 4711");
  });

  it("are taken from the label only if the bytes are not UTF-8 and the label is known", () => {
    expect(decodeText(Buffer.from([0xcf, 0xd0]), "koi8-r")).toBe("оп");
    expect(decodeText(Buffer.from("ö"), "koi8-r")).toBe("ö");
    expect(decodeText(Buffer.from([0xf6]), "no-such-charset")).toBe("ö");
    expect(["cp932", "MS932", "windows-932"].map((page) => decodeText(Buffer.from([0x93, 0xfa]), page))).toEqual([
      "日",
      "日",
      "日",
    ]);
    expect(decodeText(Buffer.from("\ufffd 5", "utf8"))).toBe("\ufffd 5");
    const japanese = Buffer.from('\u001b$B$"$$\u001b(B 5', "latin1");
    expect([decodeText(japanese, "ISO-2022-JP"), decodeText(Buffer.from("5"), "iso-2022-jp")]).toEqual(["あい 5", "5"]);
    expect(["iso2022jp", "iso-2022-jp-ms", "cp50220"].map((label) => decodeText(japanese, label))).toEqual(
      Array.from({ length: 3 }, () => "あい 5"),
    );
  });

  it("are not detected for binary data", () => {
    expect(looksLikeText(Buffer.from("a\tb\f\r\n"))).toBe(true);
    expect(looksLikeText(Buffer.from("a\0b"))).toBe(false);
    expect(looksLikeText(Buffer.from("\ufeffab", "utf16le"))).toBe(true);
  });
});
