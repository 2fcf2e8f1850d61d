/** Returns a view of bytes in the type that the driver stores. */
export function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Returns the bytes of a stored binary value, which the driver returns either directly or in a wrapper. */
export function toBytes(value: Uint8Array | { value(): unknown }): Uint8Array {
  if (ArrayBuffer.isView(value)) return value;
  const bytes = value.value();
  if (!ArrayBuffer.isView(bytes)) throw new TypeError("Not a stored binary value");
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
