import getStringWidth from "fast-string-width";
import type { Content } from "./view.ts";

/**
 * Shortens a text to a width, between visible characters. An id keeps its prefix and its end, which distinguishes it from others of the
 * same minute. A path keeps its end, which is the name of the file. A time loses its seconds, and then its hours. Other texts lose their
 * end.
 */
export function shorten(text: string, width: number, content: Content | undefined): string {
  if (getStringWidth(text) <= width) return text;
  if (content === "time" && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && width >= 10)
    return text.slice(0, width < 16 ? 10 : 16);
  const prefix = /^[a-z]+_/.exec(text)?.[0];
  if ((content === "id" || content === "reference") && prefix !== undefined && prefix.length + 3 <= width)
    return `${prefix}…${text.slice(text.length - (width - prefix.length - 1))}`;
  return content === "path" ? reversed(truncate(reversed(text), width)) : truncate(text, width);
}

function reversed(text: string): string {
  return Array.from(toGraphemes(text), ({ segment }) => segment)
    .toReversed()
    .join("");
}

/** Truncates a text to a width, with an ellipsis if something is left out. */
export function truncate(text: string, width: number): string {
  if (getStringWidth(text) <= width) return text;
  if (width < 1) return "";
  let shown = "";
  for (const { segment } of toGraphemes(text)) {
    if (getStringWidth(shown + segment) > width - 1) break;
    shown += segment;
  }
  return `${shown}…`;
}

/** Wraps a text into lines of a maximum width at spaces, and within words that are wider. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const joined = line === undefined ? word : `${line} ${word}`;
    if (getStringWidth(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== undefined) lines.push(line);
    line = "";
    for (const { segment } of toGraphemes(word)) {
      if (line !== "" && getStringWidth(line + segment) > width) {
        lines.push(line);
        line = "";
      }
      line += segment;
    }
  }
  return [...lines, line ?? ""];
}

/** Creates its segmenter for each call: the first one of a process takes 10 ms, and most calls of the command line shorten nothing. */
function toGraphemes(text: string): Intl.Segments {
  return new Intl.Segmenter().segment(text);
}
