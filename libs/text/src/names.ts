/** What is wrong with a request, by the field's REST name. */
export interface Fault {
  readonly field: string;
  readonly message: string;
}

/** How many characters a name may have. */
export const maxNameLength = 120;

/** Control characters, line ends and what turns the direction of text: they make names that look like others, or like nothing. */
const unfit = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const visible = /[^\p{Z}\p{C}]/u;

/** How many characters people count in a text: code points, not UTF-16 units. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** What is wrong with a name: it has 1 to 120 characters after trimming, one of them visible, and none that controls the others. */
export function validateName(field: string, name: string): Fault[] {
  const trimmed = name.trim();
  if (!visible.test(trimmed)) return [{ field, message: "is required" }];
  if (unfit.test(trimmed)) return [{ field, message: "must have no control characters" }];
  const length = characterCount(trimmed);
  return length > maxNameLength
    ? [{ field, message: `must have at most ${maxNameLength} characters, has ${length}` }]
    : [];
}

/** A name as it is compared where names are unique: trimmed, composed, without difference of case ("ß" equals "SS"). */
export function foldName(name: string): string {
  return name.trim().normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}
