import type { Layout } from "./layout.ts";
import type { Cell } from "./layout.ts";
import type { Span } from "./span.ts";

/** A document as continuous text: its cells in reading order, separated by spaces. */
export interface Flow {
  readonly text: string;
  /** Returns the parts of cells between two positions of the text; undefined for an empty range. */
  spans(start: number, end: number): readonly [Span, ...Span[]] | undefined;
}

/** Converts the first `characters` characters of a document to continuous text. */
export function createFlow(layout: Layout, characters: number): Flow {
  const pieces: { cell: Cell; start: number }[] = [];
  const parts: string[] = [];
  let length = 0;
  for (const cell of layout.cells) {
    if (length >= characters) break;
    pieces.push({ cell, start: length });
    parts.push(cell.text);
    length += cell.text.length + 1;
  }
  const spans = (start: number, end: number): readonly [Span, ...Span[]] | undefined => {
    const found = pieces
      .filter((piece) => piece.start < end && piece.start + piece.cell.text.length > start)
      .map(({ cell, start: from }) => ({
        cell,
        start: Math.max(0, start - from),
        end: Math.min(cell.text.length, end - from),
      }));
    const [first, ...rest] = found;
    return first ? [first, ...rest] : undefined;
  };
  return { text: parts.join(" "), spans };
}
