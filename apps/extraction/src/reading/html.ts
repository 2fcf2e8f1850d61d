import { convert } from "html-to-text";
import type { HtmlToTextOptions } from "html-to-text";
import { Parser } from "htmlparser2";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { charsetOf, decodeText } from "./decoding.ts";
import { maxNestedElements } from "./limits.ts";
import { readDecoded } from "./plain.ts";
import { readingOfProblem } from "./reading.ts";
import type { ReadContext, Reading, Source } from "./reading.ts";

/** Reads HTML as people see it: blocks as lines, table rows as lines with tabs between the cells, the title first. */
export function readHtml(source: Source, context: ReadContext): Reading {
  const head = new TextDecoder("latin1").decode(source.bytes.subarray(0, 2048));
  const charset = charsetOf(source.contentType) || (/<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ?? "");
  const html = decodeText(source.bytes, charset);
  return isNestedTooDeeply(html) ? readingOfNesting() : readDecoded(textOfHtml(html), context);
}

/** What is answered for an HTML document that is nested too deeply to be read in bounded time. */
export function readingOfNesting(): Reading {
  const message = `The document has more than ${maxNestedElements} nested elements.`;
  return readingOfProblem(ReadProblem.UNREADABLE_FILE, message);
}

/** Whether elements are nested deeper than is read. Stops at the first that is. */
export function isNestedTooDeeply(html: string): boolean {
  let depth = 0;
  let tooDeep = false;
  const parser = new Parser(
    {
      onopentagname() {
        depth += 1;
        tooDeep ||= depth > maxNestedElements;
      },
      onclosetag() {
        depth -= 1;
      },
    },
    { decodeEntities: false },
  );
  const read = html.slice(0, maxInputLength);
  for (let start = 0; start < read.length && !tooDeep; start += 4_096) parser.write(read.slice(start, start + 4_096));
  return tooDeep;
}

/** The text of an HTML document; the cells of a table row stand on one line, at least four blanks apart. */
export function textOfHtml(html: string): string {
  const text = convert(html.slice(0, maxInputLength), options);
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html.slice(0, 65_536))?.[1] ?? "";
  const titleText = convert(title, { wordwrap: false }).trim();
  return titleText === "" || text.trimStart().startsWith(titleText) ? text : `${titleText}\n${text}`;
}

const maxInputLength = 8_000_000;

const options: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxInputLength, maxDepth: maxNestedElements },
  selectors: [
    {
      selector: "table",
      format: "dataTable",
      options: { uppercaseHeaderCells: false, colSpacing: 4, maxColumnWidth: 1000 },
    },
    { selector: "a", options: { ignoreHref: true } },
    { selector: "img", format: "skip" },
    { selector: "hr", format: "skip" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
};
