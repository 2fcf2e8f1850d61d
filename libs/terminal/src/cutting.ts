import stringWidth from "string-width";
import type { Content } from "./view.ts";

const segmenter = new Intl.Segmenter();

/**
 * A text in at most this width, cut between characters as people see them. An id keeps its kind and its end, which tells it from
 * others of the same minute; a path keeps its end, the name of the file; a time loses its seconds, then its hours; of everything else
 * the end is left out.
 */
export function shorten(text: string, width: number, holds: Content | undefined): string {
  if (stringWidth(text) <= width) return text;
  if (holds === "time" && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && width >= 10)
    return text.slice(0, width < 16 ? 10 : 16);
  const prefix = /^[a-z]+_/.exec(text)?.[0];
  if ((holds === "id" || holds === "reference") && prefix !== undefined && prefix.length + 3 <= width)
    return `${prefix}…${text.slice(text.length - (width - prefix.length - 1))}`;
  return holds === "path" ? reversed(cut(reversed(text), width)) : cut(text, width);
}

function reversed(text: string): string {
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
    .toReversed()
    .join("");
}

/** A text cut to a width, with an ellipsis where something is left out. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  if (width < 1) return "";
  let shown = "";
  for (const { segment } of segmenter.segment(text)) {
    if (stringWidth(shown + segment) > width - 1) break;
    shown += segment;
  }
  return `${shown}…`;
}

/** A text in lines of at most this width, broken at blanks, and within words that are wider. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const joined = line === undefined ? word : `${line} ${word}`;
    if (stringWidth(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== undefined) lines.push(line);
    line = "";
    for (const { segment } of segmenter.segment(word)) {
      if (line !== "" && stringWidth(line + segment) > width) {
        lines.push(line);
        line = "";
      }
      line += segment;
    }
  }
  return [...lines, line ?? ""];
}
