import { Buffer } from "node:buffer";
import type { Binary, ObjectId } from "bson";
import { getKind, toNumber, ranks, type Document, type Kind } from "./values.ts";

/** True when both are the same for MongoDB: `1` and `1.0` are, documents with another order of fields are not. */
export function isSameValue(left: unknown, right: unknown): boolean {
  return encodeValue(left).equals(encodeValue(right));
}

/** What is the same in a Set for values that are the same, and only for these. */
export function getSetKey(value: unknown): unknown {
  if (typeof value === "string") return `"${value}`;
  if (value === undefined || value === null) return null;
  return getKind(value) === "number" ? toNumber(value) : encodeValue(value).toString("latin1");
}

/** The first byte of every encoded value of a kind; 0 is left for "end of a container". */
function getTag(kind: Kind): number {
  return 0x10 + ranks[kind] * 8;
}

/**
 * Encodes a value so that the byte order of encodings is MongoDB's order of values (manual, "Comparison/Sort Order"), and
 * so that no encoding is the beginning of another one: encodings can be joined to compound keys. Numbers are in order by
 * their exact value whatever their type, strings by their UTF-8 bytes, arrays element by element, documents field by
 * field: first the kind of the value, then the name, then the value.
 */
export function encodeValue(value: unknown): Buffer {
  const kind = getKind(value);
  const tag = getTag(kind);
  switch (kind) {
    case "number":
      return encodeNumber(tag, toNumber(value));
    case "string":
      return encodeText(tag, value as string);
    case "object": {
      const fields = Object.entries(value as Document);
      const parts = fields.flatMap(([name, each]) => [encodeText(getTag(getKind(each)), name), encodeValue(each)]);
      return Buffer.concat([Buffer.of(tag), ...parts, endOfContainer]);
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
    case "date": {
      const time = (value as Date).getTime();
      const bytes = Buffer.alloc(9, tag);
      // 64 bits with the sign turned over, so that times before 1970 come first.
      bytes.writeUInt32BE((Math.floor(time / 2 ** 32) ^ 0x80000000) >>> 0, 1);
      bytes.writeUInt32BE(time >>> 0, 5);
      return bytes;
    }
    default:
      return Buffer.of(tag);
  }
}

/** The least key that is greater than every key that begins with `prefix`. */
export function getSuccessor(prefix: Uint8Array): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return Buffer.alloc(32, 0xff);
  const result = Buffer.from(prefix.subarray(0, length));
  result[length - 1] = (result[length - 1] as number) + 1;
  return result;
}

/** The encoding with all bits turned over: for descending index fields. */
export function invertBytes(encoding: Uint8Array): Buffer {
  return Buffer.from(encoding.map((byte) => ~byte));
}

const endOfContainer = Buffer.of(0);

/** UTF-8 behind a tag, ended by 00 00; a zero byte inside becomes 00 FF. */
function encodeText(tag: number, text: string): Buffer {
  const before = String.fromCharCode(tag);
  if (!text.includes("\0")) return Buffer.from(`${before}${text}\0\0`);
  const escaped = Buffer.from(text).toString("latin1").replaceAll("\0", "\0\xff");
  return Buffer.from(`${before}${escaped}\0\0`, "latin1");
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
