/** The bytes of a stored binary value: the driver gives them either as they are or in a wrapper of its own. */
export function toBytes(value: Uint8Array | { value(): unknown }): Uint8Array {
  if (ArrayBuffer.isView(value)) return value;
  const bytes = value.value();
  if (!ArrayBuffer.isView(bytes)) throw new TypeError("Not a stored binary value");
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
