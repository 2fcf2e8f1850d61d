/** The tags that are read of the directory of a page. */
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

/** Whether bytes begin like a TIFF. Those with offsets of eight bytes ("BigTIFF") are not. */
export function isTiff(bytes: Uint8Array): boolean {
  const [a, b, c, d] = bytes;
  return (a === 0x49 && b === 0x49 && c === 42 && d === 0) || (a === 0x4d && b === 0x4d && c === 0 && d === 42);
}

/** The maximum number of directories that are followed, of pages and of previews together. */
const maximumDirectories = 1_000;
/** The sizes of the types of values in bytes, from type 1. */
const sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4] as const;

/**
 * Opens a TIFF. Its directories are read one by one as they are asked for; they end where the file is damaged, and where one refers to an
 * earlier one.
 */
export function openTiff(bytes: Uint8Array): TiffFile {
  const littleEndian = bytes[0] === 0x49;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  function* readDirectories(): Generator<Directory> {
    const seen = new Set<number>();
    let at = bytes.length >= 8 ? view.getUint32(4, littleEndian) : 0;
    while (at >= 8 && at + 2 <= bytes.length && !seen.has(at) && seen.size < maximumDirectories) {
      seen.add(at);
      const entries = view.getUint16(at, littleEndian);
      const end = at + 2 + 12 * entries;
      if (end > bytes.length) return;
      yield readDirectory(bytes, view, littleEndian, at + 2, entries);
      at = end + 4 <= bytes.length ? view.getUint32(end, littleEndian) : 0;
    }
  }
  return { bytes, littleEndian, directories: { [Symbol.iterator]: readDirectories } };
}

/** A field: the type of its values, their number, and where they are. */
interface Field {
  readonly type: number;
  readonly count: number;
  readonly at: number;
}

function readDirectory(
  bytes: Uint8Array,
  view: DataView,
  littleEndian: boolean,
  start: number,
  entries: number,
): Directory {
  const fields = new Map<number, Field>();
  for (let at = start; at < start + 12 * entries; at += 12) {
    const type = view.getUint16(at + 2, littleEndian);
    const count = view.getUint32(at + 4, littleEndian);
    const size = sizes[type - 1];
    if (size === undefined) continue;
    const place = size * count <= 4 ? at + 8 : view.getUint32(at + 8, littleEndian);
    if (place + size * count <= bytes.length) fields.set(view.getUint16(at, littleEndian), { type, count, at: place });
  }
  const readValue = ({ type, at }: Field, index: number): number => {
    const place = at + index * sizes[type - 1]!;
    switch (sizes[type - 1]) {
      case 1:
        return bytes[place]!;
      case 2:
        return view.getUint16(place, littleEndian);
      case 4:
        return view.getUint32(place, littleEndian);
      default:
        return view.getUint32(place, littleEndian) / view.getUint32(place + 4, littleEndian);
    }
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
