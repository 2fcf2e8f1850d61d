import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Problem } from "../../../reading.ts";
import { findSizeProblem } from "../header.ts";
import { tags } from "./directory.ts";
import type { Directory, TiffFile } from "./directory.ts";

/** How the pixels of a page are stored in the file. */
export interface TiffPage {
  readonly width: number;
  readonly height: number;
  readonly littleEndian: boolean;
  readonly compression: number;
  readonly photometric: number;
  readonly bitsPerSample: number;
  readonly samplesPerPixel: number;
  /** Whether the samples of a pixel are in different segments. */
  readonly planar: boolean;
  /** Whether the bits of each byte are in reverse order. */
  readonly reversed: boolean;
  /** Whether samples are stored as differences. */
  readonly differences: boolean;
  readonly faxOptions: number;
  /** The red, green and blue values of the palette, of 16 bits, each in its third of the array. */
  readonly palette: readonly number[];
  readonly jpegTables: Uint8Array | undefined;
  /** The orientation as in EXIF data, from 1 to 8. */
  readonly orientation: number;
  /** The height of a pixel divided by its width. Facsimiles have pixels that are twice as high as wide. */
  readonly pixelHeight: number;
  /** The rectangles that the page consists of, row by row, for each plane. Those on the right and bottom edges may reach across it. */
  readonly segments: readonly TiffSegment[];
  /** The size of a segment in pixels. */
  readonly segmentWidth: number;
  readonly segmentHeight: number;
  /** Whether segments are as large at the edges, too. */
  readonly tiled: boolean;
}

/** A rectangle of a page: its place, and where its bytes are in the file. */
export interface TiffSegment {
  readonly x: number;
  readonly y: number;
  readonly offset: number;
  readonly length: number;
}

/** A page that can be drawn, or why it cannot. */
export type DescribedPage =
  { readonly page: TiffPage; readonly problem?: never } | { readonly page?: never; readonly problem: Problem };

/** The compressions that are read, by their numbers in the file. */
export const compressions = {
  none: 1,
  huffman: 2,
  fax3: 3,
  fax4: 4,
  lzw: 5,
  oldJpeg: 6,
  jpeg: 7,
  deflate: 8,
  packBits: 32_773,
  oldDeflate: 32_946,
} as const;
const knownCompressions: ReadonlySet<number> = new Set(Object.values(compressions));

/** The compressions that are not read, but are known to people, by their numbers in the file. */
const otherCompressions: ReadonlyMap<number, string> = new Map([
  [9, "JBIG"],
  [10, "JBIG"],
  [34_661, "JBIG"],
  [33_003, "JPEG 2000"],
  [33_005, "JPEG 2000"],
  [34_712, "JPEG 2000"],
  [34_887, "LERC"],
  [34_925, "LZMA"],
  [50_000, "Zstandard"],
  [50_001, "WebP"],
  [50_002, "JPEG XL"],
]);

/** What the samples of a pixel mean, by its number in the file. */
export const photometrics = { whiteIsZero: 0, blackIsZero: 1, rgb: 2, palette: 3, cmyk: 5, yCbCr: 6 } as const;

/** The colors of each meaning, which are the first samples of a pixel. */
export const channels: ReadonlyMap<number, number> = new Map([
  [photometrics.whiteIsZero, 1],
  [photometrics.blackIsZero, 1],
  [photometrics.rgb, 3],
  [photometrics.palette, 1],
  [photometrics.cmyk, 4],
  [photometrics.yCbCr, 3],
]);

/** The maximum number of strips and tiles of a page. */
const maximumSegments = 100_000;
/** The maximum number of bytes to which a strip or tile is unpacked. */
const maximumBytes = 256 * 1024 ** 2;

/** Returns the directories of the pages of a TIFF, in their order: all but previews and masks, unless there is nothing else. */
export function* findPages({ directories }: TiffFile): Generator<Directory> {
  let first: Directory | undefined;
  let found = false;
  for (const directory of directories) {
    first ??= directory;
    if (((directory.get(tags.subfileType) ?? 0) & (1 | 4)) !== 0) continue;
    found = true;
    yield directory;
  }
  if (!found && first !== undefined) yield first;
}

/** Describes a page from its directory, without decoding it. Everything that it refers to is in the file. */
export function describePage(directory: Directory, { bytes, littleEndian }: TiffFile): DescribedPage {
  const get = (tag: number, otherwise: number): number => directory.get(tag) ?? otherwise;
  const width = get(tags.width, 0);
  const height = get(tags.height, 0);
  if (width < 1 || height < 1) return damaged;
  const tooLarge = findSizeProblem({ width, height });
  if (tooLarge !== undefined) return { problem: { code: ReadProblem.UNREADABLE_FILE, message: tooLarge } };
  const compression = get(tags.compression, compressions.none);
  if (!knownCompressions.has(compression)) {
    return unsupported(`is compressed by ${otherCompressions.get(compression) ?? `method ${compression}`}`);
  }
  const isFax = compression >= compressions.huffman && compression <= compressions.fax4;
  const isJpeg = compression === compressions.jpeg || compression === compressions.oldJpeg;
  const samplesPerPixel = get(tags.samplesPerPixel, 1);
  const photometric = get(tags.photometric, samplesPerPixel < 3 ? photometrics.blackIsZero : photometrics.rgb);
  const bitsPerSample = get(tags.bitsPerSample, 1);
  const colors = channels.get(photometric);
  const hasColors = colors !== undefined && colors <= samplesPerPixel && samplesPerPixel <= 16;
  const supported =
    hasColors &&
    (photometric !== photometrics.yCbCr || isJpeg) &&
    (isFax ? bitsPerSample === 1 && samplesPerPixel === 1 : true) &&
    (isJpeg ? bitsPerSample === 8 && get(tags.planarConfiguration, 1) === 1 : true) &&
    [1, 2, 4, 8, 16].includes(bitsPerSample) &&
    !(photometric === photometrics.palette && bitsPerSample > 8) &&
    get(tags.sampleFormat, 1) === 1;
  if (!supported) {
    return unsupported(
      `stores its colors in a way that is not read (${photometric}, ${samplesPerPixel} x ${bitsPerSample} bits)`,
    );
  }
  const planar = get(tags.planarConfiguration, 1) === 2 && samplesPerPixel > 1;
  const places = findSegments(
    directory,
    { width, height, planes: planar ? samplesPerPixel : 1 },
    compression,
    bytes.length,
  );
  if (places === undefined || places.segments.some(({ offset, length }) => offset + length > bytes.length))
    return damaged;
  const segmentBytes = (places.segmentWidth * places.segmentHeight * samplesPerPixel * bitsPerSample) / 8;
  if (segmentBytes > maximumBytes) {
    const message = `A part of the picture has more than ${maximumBytes / 1024 ** 2} MiB.`;
    return { problem: { code: ReadProblem.UNREADABLE_FILE, message } };
  }
  return {
    page: {
      ...{ width, height, littleEndian, compression, photometric, bitsPerSample, samplesPerPixel, planar },
      reversed: get(tags.fillOrder, 1) === 2,
      differences: get(tags.predictor, 1) === 2,
      faxOptions: get(tags.faxOptions, 0),
      palette: readPalette(directory, photometric === photometrics.palette ? 3 * 2 ** bitsPerSample : 0),
      jpegTables: directory.getBytes(tags.jpegTables),
      orientation: get(tags.orientation, 1),
      pixelHeight: getPixelHeight(get(tags.xResolution, 1), get(tags.yResolution, 1)),
      ...places,
    },
  };
}

const damaged: DescribedPage = { problem: { code: ReadProblem.UNREADABLE_FILE, message: "The picture is damaged." } };

function unsupported(how: string): DescribedPage {
  const message = `The TIFF ${how}. Save it as PDF or PNG.`;
  return { problem: { code: ReadProblem.UNSUPPORTED_FORMAT, message } };
}

type Places = Pick<TiffPage, "segments" | "segmentWidth" | "segmentHeight" | "tiled">;

/** Lists the strips or tiles of a page; undefined if some are missing. */
function findSegments(
  directory: Directory,
  { width, height, planes }: { width: number; height: number; planes: number },
  compression: number,
  fileLength: number,
): Places | undefined {
  const tiled = directory.get(tags.tileWidth) !== undefined;
  const segmentWidth = tiled ? (directory.get(tags.tileWidth) ?? 0) : width;
  const rows = tiled ? (directory.get(tags.tileHeight) ?? 0) : (directory.get(tags.rowsPerStrip) ?? height);
  const segmentHeight = tiled ? rows : Math.min(height, rows);
  if (segmentWidth < 1 || segmentHeight < 1) return undefined;
  const size = { segmentWidth, segmentHeight, tiled };
  const whole = directory.get(tags.jpegOffset);
  if (compression === compressions.oldJpeg && whole !== undefined) {
    const length = directory.get(tags.jpegLength) ?? 0;
    return { ...size, segmentWidth: width, segmentHeight: height, segments: [{ x: 0, y: 0, offset: whole, length }] };
  }
  const columns = Math.ceil(width / segmentWidth);
  const each = columns * Math.ceil(height / segmentHeight);
  const offsets = tiled ? tags.tileOffsets : tags.stripOffsets;
  const lengths = tiled ? tags.tileByteCounts : tags.stripByteCounts;
  if (each * planes > maximumSegments || directory.count(offsets) < each * planes) return undefined;
  const segments = Array.from({ length: each * planes }, (_, index): TiffSegment => {
    const [column, row] = [(index % each) % columns, Math.floor((index % each) / columns)];
    const offset = directory.get(offsets, index) ?? 0;
    const length = directory.get(lengths, index) ?? fileLength - offset;
    return { x: column * segmentWidth, y: row * segmentHeight, offset, length };
  });
  return { ...size, segments };
}

function readPalette(directory: Directory, length: number): readonly number[] {
  return Array.from({ length }, (_, index) => directory.get(tags.palette, index) ?? 0);
}

/** Returns the height of a pixel divided by its width; 1 if the resolutions differ by little, or by too much to be true. */
function getPixelHeight(across: number, down: number): number {
  const ratio = across / down;
  return (ratio > 1.2 && ratio < 3) || (ratio < 1 / 1.2 && ratio > 1 / 3) ? ratio : 1;
}
