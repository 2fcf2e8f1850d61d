import type { Fault } from "./fault.ts";

const longest = 120;

/** What is wrong with a name: it needs 1 to 120 characters after trimming. */
export function nameFaults(field: string, name: string): Fault[] {
  const length = characterCount(name.trim());
  if (length === 0) return [{ field, message: "is required" }];
  return length > longest ? [{ field, message: `must have at most ${longest} characters` }] : [];
}

/** A name as it is compared where names are unique: trimmed, composed, without difference of case ("ß" equals "SS"). */
export function foldName(name: string): string {
  return name.trim().normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/** How many characters people count in a text: code points, not UTF-16 units. */
export function characterCount(text: string): number {
  return [...text].length;
}
