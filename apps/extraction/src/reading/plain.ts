import { charsetOf, decodeText } from "./decoding.ts";
import { linesOf, takeLines } from "./lines.ts";
import { readingOfPages } from "./reading.ts";
import type { ReadContext, Reading, ReadLine, Source } from "./reading.ts";

/** Reads plain text; form feeds begin pages. Never fails. */
export function readPlain(source: Source, context: ReadContext): Reading {
  return readDecoded(decodeText(source.bytes, charsetOf(source.contentType)), context);
}

/** Reads text that is decoded already; form feeds begin pages. Never fails. */
export function readDecoded(text: string, { budget }: ReadContext): Reading {
  const pages: ReadLine[][] = [];
  for (const page of text.split("\f")) {
    if (page.trim() === "" && pages.length > 0) continue;
    if (!budget.takePage()) break;
    pages.push(takeLines(linesOf(page), budget));
  }
  return readingOfPages(pages);
}
