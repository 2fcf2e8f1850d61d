import { deserialize, serialize } from "node:v8";

/** Serializes a value with maps and typed arrays into memory that threads share, so that it is not copied when it is sent to one. */
export function pack(value: unknown): Uint8Array {
  const bytes = serialize(value);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** Returns a copy of a packed value. */
export function unpack<T>(packed: Uint8Array): T {
  return deserialize(Buffer.from(packed)) as T;
}
