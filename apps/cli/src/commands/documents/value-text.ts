/** Formats a value of a cell: text as it is, other values as JSON, and no value as null. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
