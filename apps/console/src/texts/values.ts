/** A value of a document as text. Values are texts, numbers or Booleans; null is empty. */
export function toText(value: unknown): string {
  return value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}
