import { getCharset, decodeText } from "../decoding.ts";
import { splitLines, takeLines } from "../lines.ts";
import { createReading } from "../reading.ts";
import type { ReadContext, Reading, ReadLine, Source } from "../reading.ts";

/** Reads plain text. Form feeds separate pages. Never fails. */
export function readPlain(source: Source, context: ReadContext): Reading {
  return readDecoded(decodeText(source.bytes, getCharset(source.contentType)), context);
}

/** Reads decoded text. Form feeds separate pages. Never fails. */
export function readDecoded(text: string, { budget }: ReadContext): Reading {
  const pages: ReadLine[][] = [];
  for (const page of splitPages(text)) {
    if (page.trim() === "" && pages.length > 0) continue;
    if (!budget.takePage()) break;
    pages.push(takeLines(splitLines(page), budget));
  }
  return createReading(pages);
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
