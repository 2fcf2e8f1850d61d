import { Buffer } from "node:buffer";
import type { Binary, BSONRegExp, ObjectId, Timestamp } from "bson";
import { kindOf, numberOf, ranks, type Document, type Kind } from "./values.ts";

/** The first byte of every encoded value of a kind; 0 is left for "end of a container". */
function tagOf(kind: Kind): number {
  return 0x10 + (kind === "missing" ? ranks.null : ranks[kind]) * 8;
}

/**
 * Encodes a value so that the byte order of encodings is the order of `compareValues`, and so that no encoding is
 * the beginning of another one: encodings can be joined to compound keys.
 */
export function encodeValue(value: unknown): Buffer {
  const parts: Uint8Array[] = [];
  write(value, parts);
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** The range of encodings [from, to) of all values of one kind. */
export function rangeOfKind(kind: Kind): { from: Buffer; to: Buffer } {
  return { from: Buffer.of(tagOf(kind)), to: Buffer.of(tagOf(kind) + 1) };
}

/** The least key that is greater than every key that begins with `prefix`. */
export function successorOf(prefix: Uint8Array): Buffer {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  const result = Buffer.from(prefix.subarray(0, length));
  if (length === 0) return Buffer.alloc(32, 0xff);
  result[length - 1] = (result[length - 1] as number) + 1;
  return result;
}

/** The encoding with all bits turned over: for descending index fields. */
export function inverted(encoding: Uint8Array): Buffer {
  const result = Buffer.allocUnsafe(encoding.length);
  for (let at = 0; at < encoding.length; at++) result[at] = ~(encoding[at] as number);
  return result;
}

const endOfContainer = Buffer.of(0);

function write(value: unknown, parts: Uint8Array[]): void {
  const kind = kindOf(value);
  const tag = tagOf(kind);
  switch (kind) {
    case "number":
      parts.push(encodeNumber(tag, numberOf(value)));
      return;
    case "string":
      parts.push(Buffer.of(tag), encodeText(value as string));
      return;
    case "object":
      parts.push(Buffer.of(tag));
      for (const name of Object.keys(value as Document)) {
        const element = (value as Document)[name];
        parts.push(Buffer.of(tagOf(kindOf(element))), encodeText(name));
        write(element, parts);
      }
      parts.push(endOfContainer);
      return;
    case "array":
      parts.push(Buffer.of(tag));
      for (const element of value as unknown[]) write(element, parts);
      parts.push(endOfContainer);
      return;
    case "binary": {
      const head = Buffer.alloc(6);
      head[0] = tag;
      head.writeUInt32BE((value as Binary).position, 1);
      head[5] = (value as Binary).sub_type;
      parts.push(head, (value as Binary).value());
      return;
    }
    case "objectId":
      parts.push(Buffer.of(tag), (value as ObjectId).id);
      return;
    case "boolean":
      parts.push(Buffer.of(tag, value === true ? 1 : 0));
      return;
    case "date":
      parts.push(encodeSigned(tag, BigInt((value as Date).getTime())));
      return;
    case "timestamp": {
      const bytes = Buffer.alloc(9);
      bytes[0] = tag;
      bytes.writeBigUInt64BE(BigInt.asUintN(64, (value as Timestamp).toBigInt()), 1);
      parts.push(bytes);
      return;
    }
    case "regex":
      parts.push(Buffer.of(tag), encodeText((value as BSONRegExp).pattern), encodeText((value as BSONRegExp).options));
      return;
    default:
      parts.push(Buffer.of(tag));
  }
}

/** UTF-8, ended by 00 00; a zero byte inside becomes 00 FF. */
function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  if (!bytes.includes(0)) return Buffer.concat([bytes, Buffer.alloc(2)]);
  const result: number[] = [];
  for (const byte of bytes) {
    result.push(byte);
    if (byte === 0) result.push(0xff);
  }
  return Buffer.from([...result, 0, 0]);
}

function encodeSigned(tag: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(9);
  bytes[0] = tag;
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value) ^ (1n << 63n), 1);
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
