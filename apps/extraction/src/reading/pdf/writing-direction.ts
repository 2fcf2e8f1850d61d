/** How the letters of a word are written: from the right, from the left, as a number, or in no direction, as punctuation. */
type Writing = "right" | "left" | "number" | "neutral";

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Whether text contains letters that are written from right to left. */
export function hasRightToLeft(text: string): boolean {
  return rightToLeft.test(text);
}

function getWriting(text: string): Writing {
  if (rightToLeft.test(text)) return "right";
  if (/\p{L}/u.test(text)) return "left";
  return /\p{N}/u.test(text) ? "number" : "neutral";
}

/** Whether most letters of words are written from right to left. */
export function isMostlyFromRight(words: Iterable<{ readonly text: string }>): boolean {
  let [right, left] = [0, 0];
  for (const { text } of words) {
    const writing = getWriting(text);
    if (writing === "right") right += text.length;
    else if (writing === "left") left += text.length;
  }
  return right > left;
}

/**
 * Whether words that are displayed in this order, from left to right, are read from right to left. Words of the other direction are usually between
 * others; where they are at one of the ends, and where there are no letters, the direction of the page counts.
 */
export function isReadFromRight(words: readonly { readonly text: string }[], isPageFromRight: boolean): boolean {
  const written = words.map(({ text }) => getWriting(text)).filter((each) => each === "left" || each === "right");
  if (written.length === 0) return isPageFromRight;
  if (written[0] === written.at(-1)) return written[0] === "right" || isMostlyFromRight(words);
  return isPageFromRight || isMostlyFromRight(words);
}

/** Whether the cells of a row on a page that is read from right to left are read like that: not if most of them are written from left to right. */
export function isRowFromRight(cells: readonly (readonly { readonly text: string }[])[]): boolean {
  const fromLeft = cells.filter((cell) => !isReadFromRight(cell, true)).length;
  return fromLeft * 2 < cells.length;
}

/**
 * Converts words from the order in which they are displayed, from left to right, to that in which they are read, or the other way round, which is
 * the same: those that are written in the other direction than the rest keep their order among themselves. This is the Unicode bidirectional
 * algorithm (UAX #9), reduced to whole words.
 */
export function reorder<Word extends { readonly text: string }>(words: readonly Word[], fromRight: boolean): Word[] {
  if (!fromRight) return splitPieces(words, embedded.right).flatMap((piece) => piece.reverse());
  return splitPieces(words, embedded.left).reverse().flat();
}

/** What belongs together in text of the other direction: a first word, and further ones up to a last one, with what may be between them. */
interface Embedding {
  readonly first: Writing;
  readonly last: ReadonlySet<Writing>;
  readonly between: ReadonlySet<Writing>;
}

const embedded: Readonly<Record<"left" | "right", Embedding>> = {
  // A number behind a word that is written from the left belongs to it.
  left: { first: "left", last: new Set(["left", "number"]), between: new Set(["neutral"]) },
  right: { first: "right", last: new Set(["right"]), between: new Set(["neutral", "number"]) },
};

/** Splits words into those that belong together, and single other ones. */
function splitPieces<Word extends { readonly text: string }>(
  words: readonly Word[],
  { first, last, between }: Embedding,
): Word[][] {
  const writings = words.map(({ text }) => getWriting(text));
  const pieces: Word[][] = [];
  for (let start = 0, end = 0; start < words.length; start = end) {
    end = start + 1;
    for (let next = writings[start] === first ? end : words.length; next < words.length; next++) {
      if (last.has(writings[next]!)) end = next + 1;
      else if (!between.has(writings[next]!)) break;
    }
    pieces.push(words.slice(start, end));
  }
  return pieces;
}
