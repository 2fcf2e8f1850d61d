import { Parser } from "htmlparser2";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { maxHtml, maxNestedElements, maxNestedFormats } from "../limits.ts";
import type { Budget } from "../limits.ts";
import { createProblemReading } from "../reading.ts";
import type { Reading } from "../reading.ts";

/** Creates the result for an HTML document that is nested too deeply to be read in bounded time. */
export function createNestingReading(): Reading {
  const message = `The document has more than ${maxNestedElements} nested elements.`;
  return createProblemReading(ReadProblem.UNREADABLE_FILE, message);
}

/** Elements whose text is formatted again for each of them that contains it. */
const formats: ReadonlySet<string> = new Set(["blockquote", "ol", "table", "ul"]);
/** These elements and their parts, which have no meaning without them. */
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
 * Truncates HTML source to a part that can be read in bounded time and memory, and records in the budget what was left out. Returns null if
 * elements are nested too deeply. Very deeply nested lists, quotations and tables become plain blocks.
 */
export function boundedHtml(html: string, budget: Budget): string | null {
  if (html.length > maxHtml.characters) budget.recordTruncation(maxHtml.characters, "characters of the HTML source");
  const read = html.slice(0, maxHtml.characters);
  const maxCharacters = budget.charactersLeft();
  /** The open elements, with whether each became a plain block. */
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
          budget.recordTruncation(maxHtml.elements, "elements of the HTML source");
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
        if (characters <= maxCharacters) return;
        end = parser.endIndex + 1;
        budget.recordTruncation(budget.limits.maxCharacters, "characters");
      },
    },
    { decodeEntities: true },
  );
  for (let start = 0; start < read.length && !tooDeep && end === undefined; start += 4_096) {
    parser.write(read.slice(start, start + 4_096));
  }
  return tooDeep ? null : kept + read.slice(copied, end);
}
