import { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ReadHiddenText, ReadPage } from "./reading.ts";

/** The hidden texts of a document that are kept, so that they take bounded memory. */
const most = { texts: 1_000, characters: 50_000 };

/** Creates a hidden text in an array. White space becomes single spaces; empty without a letter or a digit, because then it says nothing. */
export function toHidden(text: string, reason: HiddenReason): ReadHiddenText[] {
  const shown = text.replace(/\s+/g, " ").trim();
  return /[\p{L}\p{N}]/u.test(shown) ? [{ text: shown, reason }] : [];
}

/** Adds hidden texts to the first page, which is created if there is none. */
export function addToFirstPage(
  pages: readonly ReadPage[],
  hidden: readonly ReadHiddenText[],
  empty: ReadPage,
): readonly ReadPage[] {
  if (hidden.length === 0) return pages;
  const [first = empty, ...others] = pages;
  return [{ ...first, hidden: [...(first.hidden ?? []), ...hidden] }, ...others];
}

/** Keeps the first hidden texts of a document, and describes where it has some; undefined if it has none. */
export function boundHidden(pages: readonly ReadPage[]): { pages: readonly ReadPage[]; sentence: string | undefined } {
  const numbers = pages.flatMap(({ hidden = [] }, index) => (hidden.length > 0 ? [index + 1] : []));
  if (numbers.length === 0) return { pages, sentence: undefined };
  let [texts, characters] = [most.texts, most.characters];
  const bounded = pages.map(({ hidden = [], ...page }) => {
    const kept: ReadHiddenText[] = [];
    for (const each of hidden) {
      if (texts === 0 || characters === 0) break;
      const text = each.text.slice(0, characters);
      kept.push({ ...each, text });
      texts -= 1;
      characters -= text.length;
    }
    return { ...page, ...(kept.length > 0 && { hidden: kept }) };
  });
  return { pages: bounded, sentence: describeHidden(numbers) };
}

/** Describes on which pages a document has hidden text, as a sentence. */
export function describeHidden(numbers: readonly number[]): string {
  const listed = numbers.length > 10 ? `${numbers.slice(0, 10).join(", ")} and others` : numbers.join(", ");
  return `The document contains text that people cannot see, on ${numbers.length === 1 ? "page" : "pages"} ${listed}. It was not used.`;
}

/**
 * Finds characters without a width that hide something: between letters or digits whose script needs no joiner, and tags, which repeat ASCII
 * invisibly. Joiners of other scripts and of emoji, soft hyphens, byte order marks and the flags of regions, which use tags, hide nothing.
 */
export function findZeroWidth(text: string): ReadHiddenText[] {
  if (!mayBeZeroWidth.test(text)) return [];
  const found: ReadHiddenText[] = [];
  const codes = new Set([...text.matchAll(betweenLetters)].flatMap(([, characters = ""]) => [...characters]));
  if (codes.size > 0) {
    const names = [...codes].map((code) => `U+${code.codePointAt(0)!.toString(16).toUpperCase()}`);
    found.push({ text: `Characters without a width: ${names.sort().join(", ")}`, reason: HiddenReason.INVISIBLE });
  }
  for (const [tags] of text.replace(flags, "").matchAll(/[\u{e0020}-\u{e007e}]+/gu)) {
    const shown = [...tags].map((tag) => String.fromCharCode(tag.codePointAt(0)! - 0xe0000)).join("");
    found.push(...toHidden(shown, HiddenReason.INVISIBLE));
  }
  return found;
}

const mayBeZeroWidth = /[\u180e\u200b-\u200d\u2060-\u2064]|\udb40[\udc20-\udc7f]/;
const betweenLetters =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}])([\u180e\u200b-\u200d\u2060-\u2064]+)(?=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}])/gu;
const flags = /\u{1f3f4}[\u{e0030}-\u{e007a}]{1,8}\u{e007f}/gu;
