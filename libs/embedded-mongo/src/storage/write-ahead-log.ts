import { Buffer } from "node:buffer";
import { readSync } from "node:fs";

/**
 * Throws unless the first `frames` frames of an open log can be read as they were written. After a failed write, the operating system
 * may return the previous content of the disk. The checksum of each frame covers all frames before it
 * (https://www.sqlite.org/fileformat2.html#walformat).
 */
export function checkFrames(log: number, frames: number): void {
  if (frames === 0) return;
  let sum: readonly [number, number] = [0, 0];
  const header = readAt(log, 0, 32);
  const word = header.readUInt32BE(0) === 0x377f0683 ? ("readUInt32BE" as const) : ("readUInt32LE" as const);
  const check = (bytes: Buffer, stored: Buffer): void => {
    let [first, second] = sum;
    for (let at = 0; at < bytes.length; at += 8) {
      first = (first + bytes[word](at) + second) >>> 0;
      second = (second + bytes[word](at + 4) + first) >>> 0;
    }
    sum = [first, second];
    const same = stored.readUInt32BE(0) === first && stored.readUInt32BE(4) === second;
    if (!same) throw new Error("the log is damaged: it is not what was written");
  };
  check(header.subarray(0, 24), header.subarray(24));
  const size = 24 + header.readUInt32BE(8);
  for (let at = 32; at < 32 + frames * size; at += size) {
    const frame = readAt(log, at, size);
    check(Buffer.concat([frame.subarray(0, 8), frame.subarray(24)]), frame.subarray(16, 24));
  }
}

function readAt(log: number, position: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  if (readSync(log, bytes, 0, size, position) < size) throw new Error("the log is too short");
  return bytes;
}
