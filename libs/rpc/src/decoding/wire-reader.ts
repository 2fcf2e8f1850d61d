const outOfBounds = "the message ends within a value";

/**
 * Reads values in the binary format of protobuf, as encoders write them. What is unusual is an error: integers that are negative or of more
 * than 35 bits, text that is not UTF-8 (or contains U+FFFD), and what exceeds the bytes.
 */
export class WireReader {
  position = 0;
  readonly #message: Uint8Array;
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#message = bytes;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads the number and the wire type of a field, in one number. */
  tag(): number {
    return this.#varint();
  }

  /** Reads a length, and returns the position where a value of this length ends, which is at most `limit`. */
  end(limit: number): number {
    const length = this.#varint();
    const end = this.position + length;
    if (end > limit) throw new RangeError(outOfBounds);
    return end;
  }

  string(): string {
    const end = this.end(this.#bytes.length);
    const text = this.#bytes.toString("utf8", this.position, end);
    // Node.js replaces what is not UTF-8.
    if (text.includes("\ufffd")) throw new RangeError("text is not UTF-8");
    this.position = end;
    return text;
  }

  /** Reads bytes, as a view on those of the message, and as a Buffer if that is one. */
  bytes(): Uint8Array {
    const end = this.end(this.#bytes.length);
    const view = this.#message.subarray(this.position, end);
    this.position = end;
    return view;
  }

  bool(): boolean {
    const value = this.#varint();
    if (value > 1) throw new RangeError("a boolean is neither 0 nor 1");
    return value === 1;
  }

  int32(): number {
    const value = this.#varint();
    if (value > 0x7fff_ffff) throw new RangeError("an integer has more than 31 bits");
    return value;
  }

  int64(): bigint {
    return BigInt(this.#varint());
  }

  double(): number {
    const start = this.position;
    this.position += 8;
    return this.#bytes.readDoubleLE(start);
  }

  #varint(): number {
    const byte = this.#byte();
    return byte < 128 ? byte : this.#longVarint(byte - 128);
  }

  #longVarint(low: number): number {
    let value = low;
    for (let factor = 128; factor < 2 ** 35; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    throw new RangeError("an integer has more than 35 bits");
  }

  #byte(): number {
    const byte = this.#bytes[this.position];
    if (byte === undefined) throw new RangeError(outOfBounds);
    this.position += 1;
    return byte;
  }
}
