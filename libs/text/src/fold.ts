/**
 * Converts a text to lower case and removes accents and ligatures: "Société" becomes "societe", and "Straße" becomes "strasse". Never
 * throws.
 */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("æ", "ae")
    .replaceAll("œ", "oe")
    .replaceAll("ø", "o");
}
