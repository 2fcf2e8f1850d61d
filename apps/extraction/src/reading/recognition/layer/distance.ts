/** Folds letters that recognition often confuses, and leaves out what is neither a letter nor a digit. */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/[il|!]/g, "1")
    .replaceAll("o", "0");
}

/**
 * Returns the smallest number of letters that are inserted, left out or replaced to find a text within another one (Sellers' algorithm), whose
 * beginning and end do not count.
 */
export function findDistance(text: string, within: string): number {
  let row = new Array<number>(within.length + 1).fill(0);
  for (let i = 1; i <= text.length; i++) {
    const next = [i];
    for (let j = 1; j <= within.length; j++) {
      const replaced = row[j - 1]! + (text[i - 1] === within[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return Math.min(...row);
}
