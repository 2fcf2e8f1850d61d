/**
 * The operands of an operator of a content stream: numbers, with NaN for names and Infinity for what readers understand in different ways, and the
 * number of characters of strings, at most.
 */
export interface Operands {
  /** The last operands; only the first `count` belong to the operator. */
  readonly numbers: Float64Array;
  readonly count: number;
  readonly characters: number;
  /** The largest number, without its sign. */
  readonly largest: number;
}

/** The maximum number of operands that are kept. Arrays of text have more, none of which is needed. */
const maxOperands = 32;

/** What a byte is: 0 blank or an array's bracket, 1 of a number, 2 of a name or an operator, 3 anything else. */
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte <= 0x20 || byte === 0x5b || byte === 0x5d) return 0;
  if ((byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e) return 1;
  return "()<>/%{}".includes(String.fromCharCode(byte)) ? 3 : 2;
});

/** Returns the number that stands for an operator of up to three letters. */
export function toCode(name: string): number {
  return name.charCodeAt(0) | ((name.charCodeAt(1) || 0) << 8) | ((name.charCodeAt(2) || 0) << 16);
}

/**
 * Scans the operators of a content stream (ISO 32000-1, 7.8.2), as far as hidden text needs it, until the visitor returns true, which is
 * returned. The data of inline images is skipped. Written for speed: every text PDF is scanned, so nothing is allocated for an operator.
 */
export function scanOperators(bytes: Uint8Array, visit: (code: number, operands: Operands) => boolean): boolean {
  const operands = { numbers: new Float64Array(maxOperands), count: 0, characters: 0, largest: 0 };
  const end = bytes.length;
  let at = 0;
  while (at < end) {
    const byte = bytes[at]!;
    const kind = kinds[byte]!;
    if (kind === 0) at += 1;
    else if (kind === 1) {
      const start = at;
      while (at < end && kinds[bytes[at]!] === 1) at += 1;
      const number = toNumber(bytes, start, at);
      operands.largest = Math.max(operands.largest, Math.abs(number));
      if (operands.count < maxOperands) operands.numbers[operands.count++] = number;
    } else if (kind === 2) {
      const start = at;
      while (at < end && kinds[bytes[at]!] === 2) at += 1;
      // The operators d0 and d1.
      while (at < end && kinds[bytes[at]!] === 1) at += 1;
      const length = at - start;
      const code =
        length > 3 ? 0 : byte | (length > 1 ? bytes[start + 1]! << 8 : 0) | (length > 2 ? bytes[start + 2]! << 16 : 0);
      if (visit(code, operands)) return true;
      operands.count = 0;
      operands.characters = 0;
      operands.largest = 0;
      if (code === imageData) at = skipImage(bytes, at);
    } else if (byte === 0x28) {
      const after = skipString(bytes, at);
      operands.characters += after - at - 2;
      at = after;
    } else if (byte === 0x3c && bytes[at + 1] !== 0x3c) {
      const close = bytes.indexOf(0x3e, at);
      const after = close < 0 ? end : close + 1;
      operands.characters += (after - at - 2) >> 1;
      at = after;
    } else if (byte === 0x2f) {
      at += 1;
      while (at < end && (kinds[bytes[at]!] === 1 || kinds[bytes[at]!] === 2)) at += 1;
      if (operands.count < maxOperands) operands.numbers[operands.count++] = Number.NaN;
    } else if (byte === 0x25) {
      while (at < end && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
    } else at += 1;
  }
  return false;
}

const imageData = toCode("ID");

function skipString(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x5c) at += 1;
    else if (byte === 0x28) depth += 1;
    else if (byte === 0x29 && --depth === 0) return at + 1;
  }
  return bytes.length;
}

/** Returns the place of the operator `EI`, which ends the data of an inline image. */
function skipImage(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length - 2; at++) {
    const ends = bytes[at]! <= 0x20 && bytes[at + 1] === 0x45 && bytes[at + 2] === 0x49;
    if (ends && (at + 3 === bytes.length || bytes[at + 3]! <= 0x20)) return at + 1;
  }
  return bytes.length;
}

function toNumber(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  let scale = 0;
  let sign = 1;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte === 0x2d || byte === 0x2b) {
      if (at > from) return Infinity;
      if (byte === 0x2d) sign = -1;
    } else if (byte === 0x2e) {
      if (scale > 0) return Infinity;
      scale = 1;
    } else if (byte >= 0x30) {
      value = value * 10 + byte - 0x30;
      scale *= 10;
    }
  }
  return scale > 1 ? (sign * value) / scale : sign * value;
}
