import { create } from "@bufbuild/protobuf";
import { BoxSchema, TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { EvidenceSchema, type Evidence } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getRectangle, type Cell, type Layout } from "./layout.ts";
import { around } from "./rectangle.ts";

/** A part of a cell, with its start and end in UTF-16 units of the cell's text. */
export interface Span {
  readonly cell: Cell;
  readonly start: number;
  readonly end: number;
}

/** Returns the text of a span. */
export function printed(span: Span): string {
  return span.cell.text.slice(span.start, span.end);
}

/** Returns the span of a whole cell. */
export function wholeCell(cell: Cell): Span {
  return { cell, start: 0, end: cell.text.length };
}

/**
 * Creates the evidence of a value in these spans: the page of the first span, their text (lines joined by a newline), and the rectangle
 * around those on that page, clipped to it; of a sheet, the cell that contains the start of the first span. Undefined without spans.
 */
export function toEvidence(spans: readonly Span[], layout: Pick<Layout, "pages">): Evidence | undefined {
  const first = spans[0];
  if (!first) return undefined;
  const page = first.cell.page;
  const place = around(
    spans.filter((span) => span.cell.page === page).map((span) => getRectangle(span.cell, span.start, span.end)),
  );
  const { source = TextSource.TEXT, sheet = "", attachment = "" } = layout.pages.get(page) ?? {};
  const start = first.cell.offset + first.start;
  const cell = first.cell.line.cells.findLast(({ offset }) => offset <= start)?.name;
  const evidence = create(EvidenceSchema, {
    page,
    quote: spans.map(printed).join("\n"),
    source: source === TextSource.UNSPECIFIED ? TextSource.TEXT : source,
    ...(sheet === "" ? {} : { sheet }),
    ...(cell === undefined ? {} : { cell }),
    ...(attachment === "" ? {} : { attachment }),
  });
  // Documents without pages have a layout only in order to align the cells of their tables.
  if (place && (layout.pages.get(page)?.width ?? 1) > 0) {
    const x = clip(place.x0);
    const y = clip(place.y0);
    evidence.box = create(BoxSchema, {
      x: rounded(x),
      y: rounded(y),
      width: rounded(clip(place.x1) - x),
      height: rounded(clip(place.y1) - y),
    });
  }
  return evidence;
}

function clip(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}

/** Rounds to five decimals of the page, which is finer than any print. */
function rounded(fraction: number): number {
  return Math.round(fraction * 100_000) / 100_000;
}
