import { Buffer } from "node:buffer";
import type { Binary, ObjectId } from "bson";
import { kindOf, numberOf, ranks, type Document, type Kind } from "./values.ts";

/**
 * Compares two values in MongoDB's order (manual, "Comparison/Sort Order"): negative, zero or positive. That order is
 * the byte order of `encodeValue`; numbers and dates need no encoding for it.
 */
export function compareValues(left: unknown, right: unknown): number {
  const kind = kindOf(left);
  const byKind = ranks[kind] - ranks[kindOf(right)];
  if (byKind !== 0 || left === right) return byKind;
  if (kind === "number") return compareNumbers(numberOf(left), numberOf(right));
  if (kind === "date") return (left as Date).getTime() - (right as Date).getTime();
  return Buffer.compare(encodeValue(left), encodeValue(right));
}

/** True when both are the same for MongoDB: `1` and `1.0` are, documents with another order of fields are not. */
export function sameValue(left: unknown, right: unknown): boolean {
  return compareValues(left, right) === 0;
}

/** Exact order of numbers; NaN comes first and equals itself. */
export function compareNumbers(left: number | bigint, right: number | bigint): number {
  if (left < right) return -1;
  if (left > right) return 1;
  if (left == right) return 0;
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
}

/** The first byte of every encoded value of a kind; 0 is left for "end of a container". */
export function tagOf(kind: Kind): number {
  return 0x10 + ranks[kind] * 8;
}

/**
 * Encodes a value so that the byte order of encodings is MongoDB's order of values, and so that no encoding is the
 * beginning of another one: encodings can be joined to compound keys. Numbers are in order by their exact value whatever
 * their type, strings by their UTF-8 bytes, arrays element by element, documents field by field: first the kind of the
 * value, then the name, then the value.
 */
export function encodeValue(value: unknown): Buffer {
  const kind = kindOf(value);
  const tag = tagOf(kind);
  switch (kind) {
    case "number":
      return encodeNumber(tag, numberOf(value));
    case "string":
      return encodeText(value as string, tag);
    case "object": {
      const parts: Buffer[] = [Buffer.of(tag)];
      for (const name of Object.keys(value as Document)) {
        const element = (value as Document)[name];
        parts.push(Buffer.of(tagOf(kindOf(element))), encodeText(name), encodeValue(element));
      }
      return Buffer.concat([...parts, endOfContainer]);
    }
    case "array":
      return Buffer.concat([Buffer.of(tag), ...(value as unknown[]).map(encodeValue), endOfContainer]);
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
    case "date":
      return encodeHalves(tag, 0x80000000 + Math.floor((value as Date).getTime() / 2 ** 32), (value as Date).getTime());
    default:
      return Buffer.of(tag);
  }
}

/** The least key that is greater than every key that begins with `prefix`. */
export function successorOf(prefix: Uint8Array): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return Buffer.alloc(32, 0xff);
  const result = Buffer.from(prefix.subarray(0, length));
  result[length - 1] = (result[length - 1] as number) + 1;
  return result;
}

/** The encoding with all bits turned over: for descending index fields. */
export function inverted(encoding: Uint8Array): Buffer {
  return Buffer.from(encoding.map((byte) => ~byte));
}

const endOfContainer = Buffer.of(0);

/** UTF-8 behind a tag, ended by 00 00; a zero byte inside becomes 00 FF. */
function encodeText(text: string, tag?: number): Buffer {
  const before = tag === undefined ? "" : String.fromCharCode(tag);
  if (!text.includes("\0")) return Buffer.from(`${before}${text}\0\0`);
  const escaped = Buffer.from(text).toString("latin1").replaceAll("\0", "\0\xff");
  return Buffer.from(`${before}${escaped}\0\0`, "latin1");
}

/** 64 bits, of which the arguments have the upper and the lower half. */
function encodeHalves(tag: number, high: number, low: number): Buffer {
  const bytes = Buffer.alloc(9, tag);
  bytes.writeUInt32BE(high >>> 0, 1);
  bytes.writeUInt32BE(low >>> 0, 5);
  return bytes;
}

/** The greatest double that is not above the number, as ordered bytes, then what is missing to the number. */
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
