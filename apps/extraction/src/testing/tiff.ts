/** A page of a TIFF: its fields by their tags, and its strips or tiles as they are compressed. */
export interface TiffPageSource {
  readonly fields: Readonly<Record<number, number | readonly number[] | Uint8Array>>;
  readonly segments: readonly Uint8Array[];
  /** Whether the segments are tiles. */
  readonly tiled?: boolean;
}

/** How the pages follow each other. */
export interface TiffOptions {
  readonly bigEndian?: boolean;
  /** Whether offsets have eight bytes ("BigTIFF"). */
  readonly large?: boolean;
  /** The number of the page, from 0, that follows the last one. */
  readonly cycle?: number;
}

/** Writes a TIFF. Fields are long integers (or bytes); the widths, lengths and so on of the pages are those that the caller states. */
export function createTiff(
  pages: readonly TiffPageSource[],
  { bigEndian = false, large = false, cycle }: TiffOptions = {},
): Buffer {
  const [countSize, offsetSize] = large ? ([8, 8] as const) : ([2, 4] as const);
  const parts: Buffer[] = [];
  let length = 2 * offsetSize;
  const add = (part: Uint8Array): number => {
    const at = length;
    parts.push(Buffer.from(part), Buffer.alloc(part.length & 1));
    length += part.length + (part.length & 1);
    return at;
  };
  const write = (size: 2 | 4 | 8, values: readonly number[]): Buffer => {
    const buffer = Buffer.alloc(size * values.length);
    for (const [index, value] of values.entries()) {
      // The upper half of numbers of eight bytes is zero.
      const bytes = Math.min(size, 4);
      if (bigEndian) buffer.writeUIntBE(value, (index + 1) * size - bytes, bytes);
      else buffer.writeUIntLE(value, index * size, bytes);
    }
    return buffer;
  };
  const starts: number[] = [];
  const links: Buffer[] = [];
  for (const { fields, segments, tiled = false } of pages) {
    const offsets = segments.map(add);
    const all: TiffPageSource["fields"] = {
      ...(segments.length > 0 && {
        [tiled ? 324 : 273]: offsets,
        [tiled ? 325 : 279]: segments.map((segment) => segment.length),
      }),
      ...fields,
    };
    const entries = Object.entries(all).map(([tag, value]) => {
      const isBytes = value instanceof Uint8Array;
      const values = typeof value === "number" ? [value] : value;
      const content = isBytes ? Buffer.from(value) : write(offsetSize, [...values]);
      const place =
        content.length > offsetSize
          ? write(offsetSize, [add(content)])
          : Buffer.concat([content, Buffer.alloc(offsetSize)], offsetSize);
      const type = isBytes ? 7 : large ? 16 : 4;
      return Buffer.concat([write(2, [Number(tag), type]), write(offsetSize, [values.length]), place]);
    });
    starts.push(length);
    const link = Buffer.alloc(offsetSize);
    links.push(link);
    parts.push(write(countSize, [entries.length]), ...entries, link);
    length += countSize + (4 + 2 * offsetSize) * entries.length + offsetSize;
    if (length % 2 === 1) throw new Error("directories begin at even places");
  }
  for (const [index, link] of links.entries())
    write(offsetSize, [starts[index + 1] ?? starts[cycle ?? -1] ?? 0]).copy(link);
  const version = large ? [43, offsetSize, 0] : [42];
  const head = Buffer.concat([
    Buffer.from(bigEndian ? "MM" : "II"),
    write(2, version),
    write(offsetSize, [starts[0] ?? 0]),
  ]);
  return Buffer.concat([head, ...parts]);
}

/** Returns the fields of a page that is not compressed, without its strips. */
export function describePixels(width: number, height: number, samples: 1 | 3 | 4 = 1): Record<number, number> {
  return { 256: width, 257: height, 258: 8, 259: 1, 262: { 1: 1, 3: 2, 4: 5 }[samples], 277: samples };
}

/** Writes a canvas as a page of gray pixels in one strip. */
export function toTiffPage({
  width,
  height,
  data,
}: {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}): TiffPageSource {
  const gray = Uint8Array.from({ length: width * height }, (_, index) => data[4 * index]!);
  return { fields: describePixels(width, height), segments: [gray] };
}
