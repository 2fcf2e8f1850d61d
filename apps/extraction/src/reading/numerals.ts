// The numbers of lists, as they are displayed.

/**
 * Formats the number of an item: in letters for the format `a`, as a Roman numeral for `i`, both also in capitals, and otherwise in digits, like what
 * cannot be formatted. After z follows aa, and then ab, or bb if letters are repeated.
 */
export function formatNumber(number: number, format: string, repeatsLetters = false): string {
  const kind = format.toLowerCase();
  const letters = repeatsLetters ? toRepeatedLetter : toLetters;
  const text = kind === "a" ? letters(number) : kind === "i" ? toRomanNumeral(number) : "";
  if (text === "") return String(number);
  return kind === format ? text : text.toUpperCase();
}

/** Converts a number to letters: a to z, then aa, ab. Empty if the number is not positive. */
function toLetters(number: number): string {
  let letters = "";
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** Converts a number to a letter, which is repeated after z: aa, bb. Empty if the number is not between 1 and 780, the highest that Word counts with. */
function toRepeatedLetter(number: number): string {
  if (number < 1 || number > 780) return "";
  return String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26));
}

const romanDigits = [
  ["", "m", "mm", "mmm"],
  ["", "c", "cc", "ccc", "cd", "d", "dc", "dcc", "dccc", "cm"],
  ["", "x", "xx", "xxx", "xl", "l", "lx", "lxx", "lxxx", "xc"],
  ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"],
];

/** Converts a number to a Roman numeral. Empty if the number is not between 1 and 3,999. */
function toRomanNumeral(number: number): string {
  if (number < 1 || number > 3_999) return "";
  const digits = String(number).padStart(4, "0");
  return romanDigits.map((numerals, place) => numerals[Number(digits[place])]).join("");
}

/** Returns the number in an attribute of a list; undefined if there is none, or it is not a whole number that counts something. */
export function toCount(text: string | undefined): number | undefined {
  const number = Number(text || Number.NaN);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** Returns what follows the number or bullet of a paragraph, given its name in a document: nothing, a space, or otherwise a tab. */
export function toSeparator(name: string): string {
  if (name === "nothing") return "";
  return name === "space" ? " " : "\t";
}

/** Returns a bullet as it is displayed. The fonts of symbols have bullets where others have letters, or nothing. */
export function toBullet(character: string): string {
  return /^[^\p{L}\p{N}\p{Co}\s§¨·]$/u.test(character) ? character : "•";
}

/** A marker of a list, which precedes the text of a paragraph. */
export interface ListMarker {
  readonly text: string;
  readonly isBullet: boolean;
}

/** Puts a marker before the text of its paragraph. A bullet without a text says nothing. */
export function mark(text: string, marker: ListMarker | undefined): string {
  if (marker === undefined || (marker.isBullet && text.trim() === "")) return text;
  return marker.text + text;
}
