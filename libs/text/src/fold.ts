const isPlain = /^[ -~]*$/;

/**
 * Converts a text to lower case and removes accents and ligatures: "Société" becomes "societe", and "Straße" becomes "strasse". Never
 * throws.
 */
export function fold(text: string): string {
  // Most words are plain ASCII, for which the rest would change nothing and take most of the time.
  if (isPlain.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("æ", "ae")
    .replaceAll("œ", "oe")
    .replaceAll("ø", "o");
}
