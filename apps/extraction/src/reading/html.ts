import { convert } from "html-to-text";
import type { HtmlToTextOptions } from "html-to-text";
import { Parser } from "htmlparser2";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { charsetOf, decodeText } from "./decoding.ts";
import { formatTable } from "./html-table.ts";
import { maxHtml, maxNestedElements } from "./limits.ts";
import type { Budget } from "./limits.ts";
import { readDecoded } from "./plain.ts";
import { readingOfProblem } from "./reading.ts";
import type { ReadContext, Reading, Source } from "./reading.ts";

/** Reads HTML as people see it: blocks as lines, table rows as lines with tabs between the cells, the title first. */
export function readHtml(source: Source, context: ReadContext): Reading {
  const head = new TextDecoder("latin1").decode(source.bytes.subarray(0, 2048));
  const charset = charsetOf(source.contentType) || (/<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ?? "");
  const html = boundedHtml(decodeText(source.bytes, charset), context.budget);
  return html === null ? readingOfNesting() : readDecoded(textOfHtml(html), context);
}

/** What is answered for an HTML document that is nested too deeply to be read in bounded time. */
export function readingOfNesting(): Reading {
  const message = `The document has more than ${maxNestedElements} nested elements.`;
  return readingOfProblem(ReadProblem.UNREADABLE_FILE, message);
}

/**
 * As much of HTML source as is read in bounded time and memory; what is cut off is noted in the budget. Null for source whose elements
 * are nested deeper than is read.
 */
export function boundedHtml(html: string, budget: Budget): string | null {
  if (html.length > maxHtml.characters) budget.onlyFirst(maxHtml.characters, "characters of the HTML source");
  const read = html.slice(0, maxHtml.characters);
  let depth = 0;
  let tooDeep = false;
  let elements = 0;
  let end: number | undefined;
  const parser = new Parser(
    {
      onopentagname() {
        depth += 1;
        tooDeep ||= depth > maxNestedElements;
        if (++elements > maxHtml.elements) end ??= parser.startIndex;
      },
      onclosetag() {
        depth -= 1;
      },
    },
    { decodeEntities: false },
  );
  for (let start = 0; start < read.length && !tooDeep && end === undefined; start += 4_096) {
    parser.write(read.slice(start, start + 4_096));
  }
  if (tooDeep) return null;
  if (end !== undefined) budget.onlyFirst(maxHtml.elements, "elements of the HTML source");
  return read.slice(0, end);
}

/** The text of an HTML document; the cells of a table row stand on one line, with tabs between them. */
export function textOfHtml(html: string): string {
  const text = convert(html, options);
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html.slice(0, 65_536))?.[1] ?? "";
  const titleText = convert(title, { wordwrap: false }).trim();
  return titleText === "" || text.trimStart().startsWith(titleText) ? text : `${titleText}\n${text}`;
}

const options: HtmlToTextOptions = {
  wordwrap: false,
  formatters: { tabbedTable: formatTable },
  limits: { maxInputLength: maxHtml.characters, maxDepth: maxNestedElements },
  selectors: [
    { selector: "table", format: "tabbedTable", options: { maxColumnWidth: 1000 } },
    { selector: "a", options: { ignoreHref: true } },
    { selector: "img", format: "skip" },
    { selector: "hr", format: "skip" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
};
