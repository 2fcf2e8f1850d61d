import { Buffer } from "node:buffer";
import { readSync } from "node:fs";

/** The length of the header of a log. */
export const logHeaderLength = 32;

/** A checksum of the log, which continues from the one of the bytes before (https://www.sqlite.org/fileformat2.html#walformat). */
type Sum = readonly [number, number];

/** Returns whether the header of a log is as it was written. SQLite treats a log with another header as empty. */
export function isLogHeader(header: Buffer): boolean {
  return [0x377f0682, 0x377f0683].includes(header.readUInt32BE(0)) && isStored(sumHeader(header), header.subarray(24));
}

/**
 * Throws unless the first `frames` frames of an open log can be read as they were written. After a failed write, the operating system
 * may return the previous content of the disk. The checksum of each frame covers all frames before it.
 */
export function checkFrames(log: number, frames: number): void {
  if (frames === 0) return;
  const header = readAt(log, 0, logHeaderLength);
  let sum = sumHeader(header);
  const check = (stored: Buffer): void => {
    if (!isStored(sum, stored)) throw new Error("the log is damaged: it is not what was written");
  };
  check(header.subarray(24));
  const size = 24 + header.readUInt32BE(8);
  for (let at = logHeaderLength; at < logHeaderLength + frames * size; at += size) {
    const frame = readAt(log, at, size);
    sum = addToSum(header, sum, Buffer.concat([frame.subarray(0, 8), frame.subarray(24)]));
    check(frame.subarray(16, 24));
  }
}

function sumHeader(header: Buffer): Sum {
  return addToSum(header, [0, 0], header.subarray(0, 24));
}

/** Adds bytes to a checksum. The header determines the byte order of the words. */
function addToSum(header: Buffer, [first, second]: Sum, bytes: Buffer): Sum {
  const word = header.readUInt32BE(0) === 0x377f0683 ? ("readUInt32BE" as const) : ("readUInt32LE" as const);
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + bytes[word](at) + second) >>> 0;
    second = (second + bytes[word](at + 4) + first) >>> 0;
  }
  return [first, second];
}

function isStored([first, second]: Sum, stored: Buffer): boolean {
  return stored.readUInt32BE(0) === first && stored.readUInt32BE(4) === second;
}

function readAt(log: number, position: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  if (readSync(log, bytes, 0, size, position) < size) throw new Error("the log is too short");
  return bytes;
}
