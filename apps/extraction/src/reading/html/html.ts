import { convert } from "html-to-text";
import type { HtmlToTextOptions } from "html-to-text";
import { getCharset, decodeText } from "../decoding.ts";
import { boundedHtml, createNestingReading } from "./bounds.ts";
import { findMetaCharset } from "./charset.ts";
import { decodeDataAddress } from "./data-address.ts";
import { separateHiddenHtml } from "./hidden.ts";
import { formatOrderedList } from "./list.ts";
import { formatTable } from "./table.ts";
import { addPictures } from "../illustration.ts";
import { maxHtml, maxNestedElements } from "../limits.ts";
import { hasLittleText } from "../picture.ts";
import { readDecoded } from "../text/plain.ts";
import type { ReadContext, Reading, Source } from "../reading.ts";

/**
 * Reads HTML as it is displayed: blocks become lines, table rows become lines with tabs between the cells, and the title comes first. The pictures
 * that it contains are pages if there is little text; nothing is loaded from elsewhere.
 */
export function readHtml(source: Source, context: ReadContext): Reading {
  const charset = getCharset(source.contentType) || findMetaCharset(source.bytes);
  const bounded = boundedHtml(decodeText(source.bytes, charset), context.budget);
  if (bounded === null) return createNestingReading();
  const { html, hidden, pictures } = separateHiddenHtml(bounded);
  const text = readDecoded(htmlToText(html), context, hidden);
  if (!hasLittleText(text.pages, context.budget)) return text;
  // Where the pictures are between the pages is not known.
  const last = text.pages.length - 1;
  const illustrated = text.pages.map((page, index) => ({ page, pictures: () => (index === last ? pictures : []) }));
  return { ...text, ...addPictures(illustrated, decodeDataAddress, context.budget) };
}

/** Converts an HTML document to text. The cells of a table row are on one line, separated by tabs. */
export function htmlToText(html: string): string {
  const text = convert(html, options);
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(html.slice(0, 65_536))?.[1] ?? "";
  const titleText = convert(title, { wordwrap: false }).trim();
  return titleText === "" || text.trimStart().startsWith(titleText) ? text : `${titleText}\n${text}`;
}

/** Elements that begin and end a line, besides those that html-to-text knows. */
const blocks: readonly string[] =
  "address center dd details dialog dir dl dt fieldset figcaption figure hgroup legend menu optgroup option search summary".split(
    " ",
  );

const options: HtmlToTextOptions = {
  wordwrap: false,
  // Without the zero-width space, which separates no words.
  whitespaceCharacters: " \t\r\n\f",
  formatters: { tabbedTable: formatTable, orderedList: formatOrderedList },
  limits: { maxInputLength: maxHtml.characters, maxDepth: maxNestedElements },
  selectors: [
    { selector: "table", format: "tabbedTable", options: { maxColumnWidth: 1000 } },
    { selector: "a", options: { ignoreHref: true } },
    { selector: "img", format: "skip" },
    { selector: "hr", format: "skip" },
    ...blocks.map((selector) => ({ selector, format: "block" })),
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
};
