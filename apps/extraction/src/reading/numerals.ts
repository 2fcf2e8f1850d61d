// The numbers of lists, as they are displayed.

/** Converts a number to letters: a to z, then aa, ab. Empty if the number is not positive. */
export function toLetters(number: number): string {
  let letters = "";
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** Converts a number to a letter, which is repeated after z: aa, bb. Empty if the number is not between 1 and 780, the highest that Word counts with. */
export function toRepeatedLetter(number: number): string {
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
export function toRomanNumeral(number: number): string {
  if (number < 1 || number > 3_999) return "";
  const digits = String(number).padStart(4, "0");
  return romanDigits.map((numerals, place) => numerals[Number(digits[place])]).join("");
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
