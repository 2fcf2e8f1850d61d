import { reverseBits } from "./codecs.ts";
import { compressions, photometrics } from "./page.ts";
import type { TiffPage, TiffSegment } from "./page.ts";

/**
 * Wraps the segments of a page that are compressed as faxes or as JPEG into a PDF of one page with a point for each pixel. PDF has the same
 * compressions, so the bytes stay as they are, and a reader of PDF can decode them.
 */
export function wrapInPdf(page: TiffPage, bytes: Uint8Array): Uint8Array {
  const names = page.segments.map((_, index) => `/I${index} ${firstPicture + index} 0 R`).join(" ");
  const places = page.segments.map((segment, index) => {
    const { width, height } = getSize(page, segment);
    return `q ${width} 0 0 ${height} ${segment.x} ${page.height - segment.y - height} cm /I${index} Do Q`;
  });
  const content = Buffer.from(places.join("\n"));
  return writePdf([
    [`<< /Type /Catalog /Pages 2 0 R >>`],
    [`<< /Type /Pages /Kids [3 0 R] /Count 1 >>`],
    [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${page.width} ${page.height}] /Contents 4 0 R /Resources << /XObject << ${names} >> >> >>`,
    ],
    [`<< /Length ${content.length} >>`, content],
    ...page.segments.map((segment): PdfObject => wrapSegment(page, segment, bytes)),
  ]);
}

/** The number of the first object that is a picture. */
const firstPicture = 5;

function wrapSegment(page: TiffPage, segment: TiffSegment, bytes: Uint8Array): PdfObject {
  const { width, height } = getSize(page, segment);
  const own = bytes.slice(segment.offset, segment.offset + segment.length);
  const given = page.reversed ? reverseBits(own) : own;
  const isFax = page.compression <= compressions.fax4;
  const data = isFax ? given : addTables(given, page.jpegTables);
  const size = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent ${page.bitsPerSample}`;
  const how = isFax ? describeFax(page, width, height) : describeJpeg(page);
  return [`<< ${size} ${how} /Length ${data.length} >>`, data];
}

function getSize(page: TiffPage, { y }: TiffSegment): { width: number; height: number } {
  const height = page.tiled ? page.segmentHeight : Math.min(page.segmentHeight, page.height - y);
  return { width: page.segmentWidth, height };
}

function describeFax({ compression, faxOptions, photometric }: TiffPage, width: number, height: number): string {
  const isTwoDimensional = compression === compressions.fax3 && (faxOptions & 1) !== 0;
  const rows = compression === compressions.fax4 ? -1 : isTwoDimensional ? 4 : 0;
  const isAligned =
    compression === compressions.huffman || (compression === compressions.fax3 && (faxOptions & 4) !== 0);
  const parameters = `/K ${rows} /Columns ${width} /Rows ${height} /EncodedByteAlign ${isAligned} /EndOfLine ${compression === compressions.fax3}`;
  const decode = photometric === photometrics.blackIsZero ? "/Decode [1 0]" : "";
  return `/ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << ${parameters} >> ${decode}`;
}

function describeJpeg({ photometric, samplesPerPixel }: TiffPage): string {
  const space = samplesPerPixel >= 4 ? "CMYK" : samplesPerPixel === 3 ? "RGB" : "Gray";
  const transform = photometric === photometrics.yCbCr ? 1 : 0;
  const decode = photometric === photometrics.whiteIsZero ? "/Decode [1 0]" : "";
  return `/ColorSpace /Device${space} /Filter /DCTDecode /DecodeParms << /ColorTransform ${transform} >> ${decode}`;
}

/** Puts the tables that the segments of a page share into one of them, after its first marker. */
function addTables(jpeg: Uint8Array, tables: Uint8Array | undefined): Uint8Array {
  if (tables === undefined || tables.length < 4) return jpeg;
  // Without the markers of their start and end.
  return Buffer.concat([jpeg.subarray(0, 2), tables.subarray(2, tables.length - 2), jpeg.subarray(2)]);
}

/** The dictionary of an object, and its stream if it has one. */
type PdfObject = readonly [string, Uint8Array?];

function writePdf(objects: readonly PdfObject[]): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let length = parts[0]!.length;
  const add = (part: Uint8Array): void => {
    parts.push(part);
    length += part.length;
  };
  for (const [index, [dictionary, stream]] of objects.entries()) {
    offsets.push(length);
    add(Buffer.from(`${index + 1} 0 obj\n${dictionary}\n`));
    if (stream !== undefined) {
      add(Buffer.from("stream\n"));
      add(stream);
      add(Buffer.from("\nendstream\n"));
    }
    add(Buffer.from("endobj\n"));
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF`;
  add(Buffer.from(end));
  // Not from the pool of buffers: the reader of PDF takes the whole buffer.
  const written = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    written.set(part, at);
    at += part.length;
  }
  return written;
}
