import stringWidth from "string-width";
import { printable } from "./printable.ts";
import { cellText, type Cell, type Column, type Fields, type Table, type View } from "./view.ts";

/** How a view is drawn on a terminal. */
export interface TerminalStyle {
  /** The width that lines are kept within where that can be done; undefined for none. */
  readonly columns: number | undefined;
  readonly header: boolean;
  bold(text: string): string;
  /** Paints a word that says how something is, such as PAUSED. */
  state(text: string): string;
}

/**
 * A view for people: columns under each other by the width that characters have on a terminal. Names that hold right-to-left
 * characters are isolated, so that the columns after them keep their places.
 */
export function drawView(view: View, style: TerminalStyle): string {
  return view.map((part) => (part.kind === "table" ? drawTable(part, style) : drawFields(part))).join("\n");
}

/** A view for programs: cells between tabs, a line for each row, with a first line of titles unless that is not wanted. */
export function plainView(view: View, header: boolean): string {
  return view.map((part) => (part.kind === "table" ? plainTable(part, header) : plainFields(part))).join("");
}

function plainTable({ columns, rows }: Table, header: boolean): string {
  const titles = header ? [columns.map(({ title }) => title)] : [];
  return [...titles, ...rows.map((row) => row.map(plainCell))].map((cells) => `${cells.join("\t")}\n`).join("");
}

function plainFields({ fields }: Fields): string {
  return fields.map(([name, value]) => `${name}\t${plainCell(value)}\n`).join("");
}

function plainCell(cell: Cell): string {
  return printable(cellText(cell));
}

function drawFields({ fields }: Fields): string {
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${`${name}:`.padEnd(width + 1)}  ${isolated(plainCell(value))}\n`).join("");
}

function drawTable({ columns, rows }: Table, style: TerminalStyle): string {
  const titles = columns.map(({ title }) => title.toUpperCase());
  const cells = rows.map((row) => row.map(plainCell));
  const widths = fit(
    columns.map((column, index) => ({
      column,
      width: Math.max(
        ...(style.header ? [stringWidth(titles[index] ?? "")] : [1]),
        ...cells.map((row) => stringWidth(row[index] ?? "")),
      ),
    })),
    style.columns,
  );
  const line = (row: readonly string[], paint: (text: string) => string): string =>
    `${row
      .map((text, index) => {
        const width = widths[index] ?? 0;
        const shown = cut(text, width);
        const padding = " ".repeat(Math.max(0, width - stringWidth(shown)));
        const cell = paint(isolated(shown));
        if (columns[index]?.right === true) return padding + cell;
        return index === row.length - 1 ? cell : cell + padding;
      })
      .join("  ")}\n`;
  return [
    ...(style.header ? [line(titles, (text) => style.bold(text))] : []),
    ...cells.map((row) => line(row, (text) => style.state(text))),
  ].join("");
}

const gap = 2;
const narrowest = 8;

/** Widths that fit into the terminal, by taking from the widest of the columns that may shrink. */
function fit(
  measured: readonly { readonly column: Column; readonly width: number }[],
  columns: number | undefined,
): number[] {
  const widths = measured.map(({ width }) => width);
  if (columns === undefined) return widths;
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1) - columns;
  while (excess > 0) {
    const [widest] = measured
      .map(({ column }, index) => ({ index, width: column.shrinks === true ? (widths[index] ?? 0) : 0 }))
      .sort((a, b) => b.width - a.width);
    if (widest === undefined || widest.width <= narrowest) break;
    widths[widest.index] = widest.width - 1;
    excess -= 1;
  }
  return widths;
}

/** A text cut to a width, between characters as people see them, with an ellipsis where something is left out. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let shown = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(shown + segment) > width - 1) break;
    shown += segment;
  }
  return `${shown}…`;
}

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE, where it has to be. */
function isolated(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}
