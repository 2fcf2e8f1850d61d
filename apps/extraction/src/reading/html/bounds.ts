import { Parser } from "htmlparser2";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { maxHtml, maxNestedElements, maxNestedFormats } from "../limits.ts";
import type { Budget } from "../limits.ts";
import { createProblemReading } from "../reading.ts";
import type { Reading } from "../reading.ts";

/** What is answered for an HTML document that is nested too deeply to be read in bounded time. */
export function createNestingReading(): Reading {
  const message = `The document has more than ${maxNestedElements} nested elements.`;
  return createProblemReading(ReadProblem.UNREADABLE_FILE, message);
}

/** Elements whose text is formatted anew for each of them that it is in. */
const formats: ReadonlySet<string> = new Set(["blockquote", "ol", "table", "ul"]);
/** These and their parts, which mean nothing without them. */
const formatParts: ReadonlySet<string> = new Set([
  ...formats,
  "caption",
  "li",
  "tbody",
  "td",
  "tfoot",
  "th",
  "thead",
  "tr",
]);
/** Elements whose text is not read. */
const unread: ReadonlySet<string> = new Set(["script", "style", "template", "title"]);

/**
 * As much of HTML source as is read in bounded time and memory; what is cut off is noted in the budget. Null for source whose elements
 * are nested deeper than is read. Lists, quotations and tables that are nested very deeply become plain blocks.
 */
export function boundedHtml(html: string, budget: Budget): string | null {
  if (html.length > maxHtml.characters) budget.onlyFirst(maxHtml.characters, "characters of the HTML source");
  const read = html.slice(0, maxHtml.characters);
  const most = budget.charactersLeft();
  /** For each open element, whether it has become a plain block. */
  const open: { name: string; plain: boolean }[] = [];
  let [elements, formatted, preformatted, silent, characters, copied] = [0, 0, 0, 0, 0, 0];
  let kept = "";
  let tooDeep = false;
  let end: number | undefined;

  function replace(tag: string, from: number, to: number): void {
    kept += read.slice(copied, from) + tag;
    copied = Math.max(copied, to);
  }

  function count(name: string, by: 1 | -1): void {
    if (formats.has(name)) formatted += by;
    if (name === "pre") preformatted += by;
    if (unread.has(name)) silent += by;
  }

  const parser = new Parser(
    {
      onopentag(name) {
        if (end !== undefined) return;
        if (++elements > maxHtml.elements) {
          end = parser.startIndex;
          budget.onlyFirst(maxHtml.elements, "elements of the HTML source");
          return;
        }
        count(name, 1);
        const plain = formatted > maxNestedFormats && formatParts.has(name);
        open.push({ name, plain });
        tooDeep ||= open.length > maxNestedElements;
        if (plain) replace("<div>", parser.startIndex, parser.endIndex + 1);
      },
      onclosetag(_, implied) {
        if (end !== undefined) return;
        const { name, plain } = open.pop() ?? { name: "", plain: false };
        count(name, -1);
        if (plain) replace("</div>", parser.startIndex, implied ? parser.startIndex : parser.endIndex + 1);
      },
      ontext(text) {
        if (silent > 0 || end !== undefined) return;
        characters += preformatted > 0 ? text.length : text.replace(/\s+/g, "").length;
        if (characters <= most) return;
        end = parser.endIndex + 1;
        budget.onlyFirst(budget.limits.maxCharacters, "characters");
      },
    },
    { decodeEntities: true },
  );
  for (let start = 0; start < read.length && !tooDeep && end === undefined; start += 4_096) {
    parser.write(read.slice(start, start + 4_096));
  }
  return tooDeep ? null : kept + read.slice(copied, end);
}
