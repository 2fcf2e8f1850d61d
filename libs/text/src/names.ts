/** A violation of the rules of a request, with the REST name of the field. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

/** The maximum length of a name, in characters. */
export const maxNameLength = 120;

/**
 * Control characters, line separators and characters that change the direction of text. They make names that look like others, or are
 * invisible.
 */
const controlCharacters = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const visible = /[^\p{Z}\p{C}]/u;

/** Counts the characters of a text: code points, not UTF-16 units. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Validates a name. It must have 1 to 120 characters after trimming, at least one of them visible, and no control characters. */
export function validateName(field: string, name: string): Violation[] {
  const trimmed = name.trim();
  if (!visible.test(trimmed)) return [{ field, message: "is required" }];
  if (controlCharacters.test(trimmed)) return [{ field, message: "must not contain control characters" }];
  const length = characterCount(trimmed);
  return length > maxNameLength
    ? [{ field, message: `must have at most ${maxNameLength} characters, has ${length}` }]
    : [];
}

/** Folds a name for comparisons of unique names: trimmed, composed, and without case ("ß" equals "SS"). */
export function foldName(name: string): string {
  return name.trim().normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}
