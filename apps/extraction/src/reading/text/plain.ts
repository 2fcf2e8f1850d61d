import { getCharset, decodeText } from "../decoding.ts";
import { findZeroWidth } from "../hidden.ts";
import { splitLines, takeLines } from "../lines.ts";
import { createReading } from "../reading.ts";
import type { ReadContext, ReadHiddenText, Reading, ReadLine, Source } from "../reading.ts";

/** Reads plain text. Form feeds separate pages. Never fails. */
export function readPlain(source: Source, context: ReadContext): Reading {
  return readDecoded(decodeText(source.bytes, getCharset(source.contentType)), context);
}

/** Reads decoded text, of which some was hidden. Form feeds separate pages. Never fails. */
export function readDecoded(text: string, { budget }: ReadContext, hidden: readonly ReadHiddenText[] = []): Reading {
  const pages: ReadLine[][] = [];
  const characters: ReadHiddenText[][] = [];
  for (const page of splitPages(text)) {
    if (page.trim() === "" && pages.length > 0) continue;
    if (!budget.takePage()) break;
    pages.push(takeLines(splitLines(page), budget));
    characters.push(findZeroWidth(page));
  }
  const reading = createReading(pages);
  return {
    ...reading,
    pages: reading.pages.map((page, index) => {
      const all = [...(index === 0 ? hidden : []), ...(characters[index] ?? [])];
      return all.length === 0 ? page : { ...page, hidden: all };
    }),
  };
}

/** Splits a text at its form feeds, lazily because there may be millions. */
function* splitPages(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf("\f"); end >= 0; end = text.indexOf("\f", start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}
