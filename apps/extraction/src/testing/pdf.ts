import { deflateSync } from "node:zlib";
import PdfDocument from "pdfkit";

/** Creates a PDF that a test draws. Coordinates are in points from the top left corner. */
export async function createPdf(
  draw: (pdf: PDFKit.PDFDocument) => void,
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Buffer> {
  const pdf = new PdfDocument({ size: "A4", margin: 50, ...options });
  const chunks: Buffer[] = [];
  pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => pdf.on("end", resolve));
  draw(pdf);
  pdf.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Creates a PDF of one page with these page operators (compressed) and these additional entries of its page dictionary. */
export function rawPdf(content: string | Buffer, pageEntries = ""): Buffer {
  const stream = deflateSync(content);
  const objects: Buffer[] = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
    Buffer.from(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R ${pageEntries} /Resources << /Font << /F1 5 0 R >> >> >>`,
    ),
    Buffer.concat([
      Buffer.from(`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`),
      stream,
      Buffer.from("\nendstream"),
    ]),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
  ];
  return joinObjects(objects);
}

/** Creates a PDF from its objects; the first is its catalog. */
export function joinObjects(objects: readonly (Buffer | string)[]): Buffer {
  let bytes = Buffer.from("%PDF-1.7\n");
  const offsets = objects.map((object, index) => {
    const offset = bytes.length;
    bytes = Buffer.concat([
      bytes,
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object as string, "latin1"),
      Buffer.from("\nendobj\n"),
    ]);
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${bytes.length}\n%%EOF\n`;
  return Buffer.concat([bytes, Buffer.from(end)]);
}

/** Creates a PDF of 100 kB that takes many seconds to process: its page has 50 million operators. */
export function slowPdf(): Buffer {
  return rawPdf("q Q ".repeat(25_000_000));
}

/** Creates a PDF of some hundred kilobytes whose page decompresses to the given number of mebibytes. */
export function bombPdf(mebibytes: number): Buffer {
  return rawPdf(Buffer.alloc(mebibytes * 1024 * 1024, "%"));
}
