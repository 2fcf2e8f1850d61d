import type { Box } from "@switchyard/client";

/** A place in a document that belongs to a value. */
export interface Mark {
  /** The key of the value. */
  readonly key: string;
  /** The name of the value for people. */
  readonly label: string;
  readonly page: number | null;
  readonly quote: string | null;
  /** The rectangle, as fractions of the page. */
  readonly box: Box | null;
}

/** A part of a page's text, and the key of the mark that it belongs to, if any. */
export interface MarkedText {
  readonly text: string;
  readonly key: string | undefined;
}

/**
 * Splits the text of a page at the quotes of marks. A quote is found at its first place that no other quote has taken; white space in it
 * matches any white space. A quote that is not found leaves the text as it is.
 */
export function splitAtQuotes(text: string, marks: readonly Pick<Mark, "key" | "quote">[]): readonly MarkedText[] {
  const places: { start: number; end: number; key: string }[] = [];
  const isTaken = new Uint8Array(text.length);
  // A thousand cells may have the same quote, so each search continues behind the places that the one before it found taken.
  const searches = new Map<string, Iterator<RegExpExecArray>>();
  for (const { key, quote } of marks) {
    if (quote === null || quote.trim() === "") continue;
    const pattern = quote.trim().split(/\s+/).map(escapePattern).join("\\s+");
    const search = searches.get(pattern) ?? text.matchAll(new RegExp(pattern, "g"));
    searches.set(pattern, search);
    for (let step = search.next(); step.done !== true; step = search.next()) {
      const start = step.value.index;
      const end = start + step.value[0].length;
      if (isTaken.subarray(start, end).includes(1)) continue;
      isTaken.fill(1, start, end);
      places.push({ start, end, key });
      break;
    }
  }
  places.sort((one, other) => one.start - other.start);
  const parts: MarkedText[] = [];
  let position = 0;
  for (const { start, end, key } of places) {
    if (start > position) parts.push({ text: text.slice(position, start), key: undefined });
    parts.push({ text: text.slice(start, end), key });
    position = end;
  }
  if (position < text.length) parts.push({ text: text.slice(position), key: undefined });
  return parts;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
