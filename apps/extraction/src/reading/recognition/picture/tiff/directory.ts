/** The tags that are read from the directory of a page. */
export const tags = {
  subfileType: 254,
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  orientation: 274,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  xResolution: 282,
  yResolution: 283,
  planarConfiguration: 284,
  faxOptions: 292,
  predictor: 317,
  palette: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileByteCounts: 325,
  extraSamples: 338,
  sampleFormat: 339,
  jpegTables: 347,
  jpegOffset: 513,
  jpegLength: 514,
} as const;

/** The directory of a page: its fields by their tags. */
export interface Directory {
  /** Returns the number of values of a field; 0 if there is none. */
  count(tag: number): number;
  /** Returns a value of a field; undefined if there is none. Fractions are divided. */
  get(tag: number, index?: number): number | undefined;
  /** Returns the bytes of a field, wherever it is stored. */
  getBytes(tag: number): Uint8Array | undefined;
}

/** A TIFF: its byte order, and its directories. */
export interface TiffFile {
  readonly bytes: Uint8Array;
  readonly littleEndian: boolean;
  /** The directories in their order. */
  readonly directories: Iterable<Directory>;
}

/** Whether bytes begin like a TIFF, including one with offsets of eight bytes ("BigTIFF"). */
export function isTiff(bytes: Uint8Array): boolean {
  return findLayout(bytes) !== undefined;
}

/** The sizes of what directories consist of: their numbers of entries, and the numbers of values and offsets in an entry. */
interface Layout {
  readonly littleEndian: boolean;
  readonly countSize: 2 | 8;
  readonly offsetSize: 4 | 8;
}

/** Returns the layout that the first bytes of a TIFF state; undefined if they are of something else. */
function findLayout([a, b, c, d]: Uint8Array): Layout | undefined {
  const littleEndian = a === 0x49 && b === 0x49;
  if (!littleEndian && !(a === 0x4d && b === 0x4d)) return undefined;
  const [version, zero] = littleEndian ? [c, d] : [d, c];
  if (zero !== 0) return undefined;
  if (version === 42) return { littleEndian, countSize: 2, offsetSize: 4 };
  return version === 43 ? { littleEndian, countSize: 8, offsetSize: 8 } : undefined;
}

/** The maximum number of directories that are followed, of pages and of previews together. */
const maximumDirectories = 1_000;
/** The sizes of the types of values in bytes, from type 1. */
const sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8] as const;
/** The types of whole numbers with eight bytes. Others of that size are fractions. */
const longTypes: ReadonlySet<number> = new Set([16, 17, 18]);

/**
 * Opens a TIFF. Its directories are read one by one as they are asked for; they end where the file is damaged, and where one refers to an
 * earlier one.
 */
export function openTiff(bytes: Uint8Array): TiffFile {
  const layout = findLayout(bytes) ?? { littleEndian: true, countSize: 2, offsetSize: 4 };
  const { countSize, offsetSize, littleEndian } = layout;
  const read = createNumberReader(bytes, littleEndian);
  const entrySize = 4 + 2 * offsetSize;
  function* readDirectories(): Generator<Directory> {
    const seen = new Set<number>();
    // The first offset is after the version, and in a BigTIFF after the size of offsets.
    let at = bytes.length >= 2 * offsetSize ? read(offsetSize, offsetSize) : 0;
    while (at >= 8 && at + countSize <= bytes.length && !seen.has(at) && seen.size < maximumDirectories) {
      seen.add(at);
      const start = at + countSize;
      const end = start + entrySize * read(countSize, at);
      if (end > bytes.length) return;
      yield readDirectory(bytes, read, layout, { start, end });
      at = end + offsetSize <= bytes.length ? read(offsetSize, end) : 0;
    }
  }
  return { bytes, littleEndian, directories: { [Symbol.iterator]: readDirectories } };
}

/** Reads a whole number of a size in bytes at a place. Beyond 2^53 it is inexact, and further than any file reaches. */
type NumberReader = (size: number, at: number) => number;

function createNumberReader(bytes: Uint8Array, littleEndian: boolean): NumberReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (size, at) => {
    switch (size) {
      case 1:
        return view.getUint8(at);
      case 2:
        return view.getUint16(at, littleEndian);
      case 4:
        return view.getUint32(at, littleEndian);
      default:
        return Number(view.getBigUint64(at, littleEndian));
    }
  };
}

/** A field: the type of its values, their number, and where they are. */
interface Field {
  readonly type: number;
  readonly count: number;
  readonly at: number;
}

function readDirectory(
  bytes: Uint8Array,
  read: NumberReader,
  { offsetSize }: Layout,
  { start, end }: { start: number; end: number },
): Directory {
  const fields = new Map<number, Field>();
  for (let at = start; at < end; at += 4 + 2 * offsetSize) {
    const type = read(2, at + 2);
    const count = read(offsetSize, at + 4);
    const size = sizes[type - 1] ?? 0;
    if (size === 0) continue;
    const own = at + 4 + offsetSize;
    const place = size * count <= offsetSize ? own : read(offsetSize, own);
    if (place + size * count <= bytes.length) fields.set(read(2, at), { type, count, at: place });
  }
  const readValue = ({ type, at }: Field, index: number): number => {
    const size = sizes[type - 1]!;
    const place = at + index * size;
    if (size < 8 || longTypes.has(type)) return read(size, place);
    return read(4, place) / read(4, place + 4);
  };
  return {
    count: (tag) => fields.get(tag)?.count ?? 0,
    get(tag, index = 0) {
      const field = fields.get(tag);
      return field === undefined || index >= field.count ? undefined : readValue(field, index);
    },
    getBytes(tag) {
      const field = fields.get(tag);
      return field && bytes.subarray(field.at, field.at + field.count * sizes[field.type - 1]!);
    },
  };
}
