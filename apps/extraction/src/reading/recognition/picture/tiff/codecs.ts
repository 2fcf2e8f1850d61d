import { constants, inflateSync } from "node:zlib";
import { compressions } from "./page.ts";

/**
 * Unpacks a segment to exactly `length` bytes; undefined if it is damaged or has fewer. Never returns more, whatever the segment contains.
 */
export function unpack(segment: Uint8Array, compression: number, length: number): Uint8Array | undefined {
  switch (compression) {
    case compressions.none:
      return segment.length < length ? undefined : segment.slice(0, length);
    case compressions.packBits:
      return unpackBits(segment, length);
    case compressions.lzw:
      return unpackLzw(segment, length);
    default:
      return inflate(segment, length);
  }
}

function inflate(segment: Uint8Array, length: number): Uint8Array | undefined {
  try {
    // Some writers leave out the checksum, or fill up the last strip.
    const unpacked = inflateSync(segment, {
      maxOutputLength: 2 * length + 65_536,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    return unpacked.length < length ? undefined : unpacked.subarray(0, length);
  } catch {
    return undefined;
  }
}

/** Unpacks runs: a count, and that many bytes, or one byte that is repeated. */
function unpackBits(segment: Uint8Array, length: number): Uint8Array | undefined {
  const unpacked = new Uint8Array(length);
  let filled = 0;
  for (let at = 0; filled < length && at + 1 < segment.length;) {
    const head = segment[at++]!;
    if (head === 128) continue;
    const count = Math.min(head < 128 ? head + 1 : 257 - head, length - filled);
    if (head < 128) {
      unpacked.set(segment.subarray(at, at + count), filled);
      at += head + 1;
    } else unpacked.fill(segment[at++]!, filled, filled + count);
    filled += count;
  }
  return filled < length ? undefined : unpacked;
}

const clearCode = 256;
const endCode = 257;

/** Unpacks LZW as in TIFF: codes of 9 to 12 bits, the highest bit first, each length used one code less than possible. */
function unpackLzw(segment: Uint8Array, length: number): Uint8Array | undefined {
  const unpacked = new Uint8Array(length);
  // Each sequence has occurred before: it is where it did, and one byte longer than the previous sequence.
  const starts = new Uint32Array(4_096);
  const lengths = new Uint32Array(4_096);
  let filled = 0;
  let next = 258;
  let width = 9;
  let previous = -1;
  let previousStart = 0;
  let previousLength = 0;
  let bits = 0;
  let count = 0;
  for (let at = 0; filled < length;) {
    while (count < width) {
      if (at === segment.length) return undefined;
      bits = ((bits << 8) | segment[at++]!) & 0xff_ffff;
      count += 8;
    }
    const code = (bits >>> (count - width)) & ((1 << width) - 1);
    count -= width;
    if (code === endCode) return undefined;
    if (code === clearCode) {
      next = 258;
      width = 9;
      previous = -1;
      continue;
    }
    if (previous >= 0 && next < 4_096) {
      starts[next] = previousStart;
      lengths[next] = previousLength + 1;
      next += 1;
    }
    if (code >= next || (previous < 0 && code > 255)) return undefined;
    const start = filled;
    if (code < 256) unpacked[filled++] = code;
    else {
      const from = starts[code]!;
      const end = Math.min(length, filled + lengths[code]!);
      // Byte by byte, because a sequence may continue into itself.
      for (let read = from; filled < end;) unpacked[filled++] = unpacked[read++]!;
    }
    previous = code;
    previousStart = start;
    previousLength = code < 256 ? 1 : lengths[code]!;
    if (next + 1 >= 1 << width && width < 12) width += 1;
  }
  return unpacked;
}

/** Replaces the differences between neighboring samples of rows by the samples. */
export function addDifferences(
  rows: Uint8Array,
  { rowBytes, samples, bits, littleEndian }: { rowBytes: number; samples: number; bits: number; littleEndian: boolean },
): void {
  if (bits === 8) {
    for (let row = 0; row < rows.length; row += rowBytes) {
      for (let at = row + samples; at < row + rowBytes; at++) rows[at]! += rows[at - samples]!;
    }
  }
  if (bits === 16) {
    const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
    for (let row = 0; row < rows.length; row += rowBytes) {
      for (let at = row + 2 * samples; at < row + rowBytes; at += 2) {
        view.setUint16(
          at,
          view.getUint16(at, littleEndian) + view.getUint16(at - 2 * samples, littleEndian),
          littleEndian,
        );
      }
    }
  }
}

/** Reverses the order of the bits in each byte. */
export function reverseBits(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => {
    const pairs = ((byte & 0x55) << 1) | ((byte >> 1) & 0x55);
    const fours = ((pairs & 0x33) << 2) | ((pairs >> 2) & 0x33);
    return ((fours & 0x0f) << 4) | (fours >> 4);
  });
}
