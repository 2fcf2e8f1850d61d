import { Buffer } from "node:buffer";
import type { Binary, ObjectId } from "bson";
import { getKind, toNumber, ranks, type Document, type Kind } from "./values.ts";

/** Returns true if MongoDB considers both values equal: `1` and `1.0` are, but not documents with fields in another order. */
export function isSameValue(left: unknown, right: unknown): boolean {
  return encodeValue(left).equals(encodeValue(right));
}

/** Returns a value that is the same in a Set exactly for equal values. */
export function getSetKey(value: unknown): unknown {
  if (typeof value === "string") return `"${value}`;
  if (value === undefined || value === null) return null;
  return getKind(value) === "number" ? toNumber(value) : encodeValue(value).toString("latin1");
}

/** Returns the first byte of encoded values of a type. 0 marks the end of a container. */
function getTag(kind: Kind): number {
  return 0x10 + ranks[kind] * 8;
}

/**
 * Encodes a value so that the byte order of encodings is MongoDB's order of values (manual, "Comparison/Sort Order"). No encoding is a
 * prefix of another one, so encodings can be concatenated into compound keys. Numbers are ordered by their exact value, regardless of their
 * type, strings by their UTF-8 bytes, arrays by their elements, and documents by their fields: first by the type of the value, then by the
 * name, then by the value.
 */
export function encodeValue(value: unknown): Buffer {
  const kind = getKind(value);
  if (kind !== "object" && kind !== "array") return encodeScalar(kind, value);
  const parts: Buffer[] = [];
  addParts(value, parts);
  return Buffer.concat(parts);
}

/** Adds the parts of an encoding, which are joined only once, however deeply the value is nested. */
function addParts(value: unknown, parts: Buffer[]): void {
  const kind = getKind(value);
  if (kind !== "object" && kind !== "array") {
    parts.push(encodeScalar(kind, value));
    return;
  }
  parts.push(Buffer.of(getTag(kind)));
  if (kind === "array") for (const each of value as unknown[]) addParts(each, parts);
  else {
    for (const [name, each] of Object.entries(value as Document)) {
      parts.push(encodeText(getTag(getKind(each)), name));
      addParts(each, parts);
    }
  }
  parts.push(endOfContainer);
}

function encodeScalar(kind: Exclude<Kind, "object" | "array">, value: unknown): Buffer {
  const tag = getTag(kind);
  switch (kind) {
    case "number":
      return encodeNumber(tag, toNumber(value));
    case "string":
      return encodeText(tag, value as string);
    case "binary": {
      const { position, sub_type } = value as Binary;
      const head = Buffer.of(tag, 0, 0, 0, 0, sub_type);
      head.writeUInt32BE(position, 1);
      return Buffer.concat([head, (value as Binary).value()]);
    }
    case "objectId":
      return Buffer.concat([Buffer.of(tag), (value as ObjectId).id]);
    case "boolean":
      return Buffer.of(tag, value === true ? 1 : 0);
    case "date": {
      const time = (value as Date).getTime();
      const bytes = Buffer.alloc(9, tag);
      // The sign bit of the 64 bits is inverted, so that times before 1970 come first.
      bytes.writeUInt32BE((Math.floor(time / 2 ** 32) ^ 0x80000000) >>> 0, 1);
      bytes.writeUInt32BE(time >>> 0, 5);
      return bytes;
    }
    default:
      return Buffer.of(tag);
  }
}

/** Returns the smallest key that is greater than every key that starts with `prefix`. */
export function getSuccessor(prefix: Uint8Array): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return Buffer.alloc(32, 0xff);
  const result = Buffer.from(prefix.subarray(0, length));
  result[length - 1] = (result[length - 1] as number) + 1;
  return result;
}

/** Inverts all bits of an encoding, for descending index fields. */
export function invertBytes(encoding: Uint8Array): Buffer {
  return Buffer.from(encoding.map((byte) => ~byte));
}

const endOfContainer = Buffer.of(0);

/** Encodes text as UTF-8 after a tag, terminated by 00 00. A zero byte in the text becomes 00 FF. */
function encodeText(tag: number, text: string): Buffer {
  const before = String.fromCharCode(tag);
  if (!text.includes("\0")) return Buffer.from(`${before}${text}\0\0`);
  const escaped = Buffer.from(text).toString("latin1").replaceAll("\0", "\0\xff");
  return Buffer.from(`${before}${escaped}\0\0`, "latin1");
}

/** Encodes a number as the greatest double that does not exceed it, as ordered bytes, followed by the difference. */
function encodeNumber(tag: number, value: number | bigint): Buffer {
  const bytes = Buffer.alloc(11);
  bytes[0] = tag;
  if (Number.isNaN(value)) return bytes;
  let below = Number(value);
  if (typeof value === "bigint") {
    if (below > value) below = previousDouble(below);
    bytes.writeUInt16BE(Number(value - BigInt(below)), 9);
  }
  bytes.writeDoubleBE(below === 0 ? 0 : below, 1);
  if ((bytes[1] as number) & 0x80) {
    for (let at = 1; at < 9; at++) bytes[at] = ~(bytes[at] as number);
  } else {
    bytes[1] = (bytes[1] as number) | 0x80;
  }
  return bytes;
}

function previousDouble(value: number): number {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value);
  bits.writeBigInt64BE(bits.readBigInt64BE() + (value > 0 ? -1n : 1n));
  return bits.readDoubleBE();
}
