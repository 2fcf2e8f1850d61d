/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The maximum length of a text in the audit trail, in characters. */
const maxTextLength = 500;

/**
 * Describes the change of a field for the audit trail: an empty object if it did not change, and otherwise both values under its name.
 * Texts are shortened to 500 characters.
 */
export function fieldChange<Value extends Json>(name: string, from: Value, to: Value): { [key: string]: Json } {
  if (JSON.stringify(from) === JSON.stringify(to)) return {};
  return { [name]: { from: shortenedValue(from), to: shortenedValue(to) } };
}

/** Shortens a text to its first 500 characters, as the audit trail stores it. */
export function shortened(text: string): string {
  const characters = [...text];
  return characters.length > maxTextLength ? `${characters.slice(0, maxTextLength).join("")}…` : text;
}

function shortenedValue(value: Json): Json {
  return typeof value === "string" ? shortened(value) : value;
}
