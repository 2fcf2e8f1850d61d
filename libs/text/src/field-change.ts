/** A value that JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** How many characters of a text the audit trail repeats. */
const maxTextLength = 500;

/**
 * What the audit trail says of a field: nothing where it stayed as it was, else both values by its name; texts shortened to 500
 * characters.
 */
export function fieldChange<Value extends Json>(name: string, from: Value, to: Value): { [key: string]: Json } {
  if (JSON.stringify(from) === JSON.stringify(to)) return {};
  return { [name]: { from: shortenedValue(from), to: shortenedValue(to) } };
}

/** A text as the audit trail repeats it: its first 500 characters. */
export function shortened(text: string): string {
  const characters = [...text];
  return characters.length > maxTextLength ? `${characters.slice(0, maxTextLength).join("")}…` : text;
}

function shortenedValue(value: Json): Json {
  return typeof value === "string" ? shortened(value) : value;
}
