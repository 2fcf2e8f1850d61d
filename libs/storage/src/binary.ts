/** Returns the bytes of a stored binary value, which the driver returns either directly or in a wrapper. */
export function toBytes(value: Uint8Array | { value(): unknown }): Uint8Array {
  if (ArrayBuffer.isView(value)) return value;
  const bytes = value.value();
  if (!ArrayBuffer.isView(bytes)) throw new TypeError("Not a stored binary value");
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
