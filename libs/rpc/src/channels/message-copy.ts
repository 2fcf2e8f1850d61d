/**
 * Creates a deep copy of a message, which shares only its `bytes`. Generated messages are plain trees of objects, arrays, scalars and byte
 * arrays, so no descriptor is needed. By convention, bytes are not modified once they are in a message; copying them would double the
 * memory of every document.
 */
export function copyMessage<T>(value: T): T {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(copyMessage) as T;
  const fields = value as Record<string, unknown>;
  const copy = Object.create(Object.getPrototypeOf(value) as object | null) as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const value = copyMessage(fields[key]);
    // An assignment would not create the key "__proto__", which a map of the contract may contain. For other keys it is much faster.
    if (key === "__proto__") {
      Object.defineProperty(copy, key, { value, enumerable: true, writable: true, configurable: true });
    } else copy[key] = value;
  }
  return copy as T;
}

/** Freezes a message deeply, except for its `bytes`, and returns it. */
export function freezeMessage<T>(value: T): T {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || Object.isFrozen(value))
    return value;
  for (const field of Object.values(value)) freezeMessage(field as unknown);
  return Object.freeze(value);
}
