import stringWidth from "string-width";
import { cut, shorten, wrap } from "./cutting.ts";
import { printable } from "./printable.ts";
import { cellText, type Cell, type Fields, type Table, type View } from "./view.ts";
import { fitWidths, gap } from "./widths.ts";

/** How a view is drawn on a terminal. */
export interface TerminalStyle {
  /** The width that no line exceeds; undefined for none. */
  readonly columns: number | undefined;
  readonly header: boolean;
  bold(text: string): string;
  /** Paints a word that says how something is, such as PAUSED. */
  state(text: string): string;
}

/** A view as it is drawn. */
export interface Drawn {
  readonly text: string;
  /** Whether an id in it is not whole, so that it cannot be copied from here. */
  readonly shortensIds: boolean;
}

/**
 * A view for people: columns under each other by the width that characters have on a terminal, no line wider than it. Names that hold
 * right-to-left characters are isolated, so that the columns after them keep their places.
 */
export function drawView(view: View, style: TerminalStyle): Drawn {
  const parts = view.map((part) =>
    part.kind === "table" ? drawTable(part, style) : { text: drawFields(part, style), shortensIds: false },
  );
  return {
    text: parts.map(({ text }) => text).join("\n"),
    shortensIds: parts.some(({ shortensIds }) => shortensIds),
  };
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

function drawFields({ fields }: Fields, { columns }: TerminalStyle): string {
  const longest = Math.max(...fields.map(([name]) => name.length)) + 1;
  const label = columns === undefined ? longest : Math.min(longest, Math.floor(columns / 2));
  const room = columns === undefined ? Infinity : Math.max(1, columns - label - gap);
  return fields
    .map(([name, value]) => {
      const [line = "", ...more] = wrap(plainCell(value), room);
      const rest = more.map((text) => `${" ".repeat(label + gap)}${isolated(text)}\n`);
      return `${cut(`${name}:`, label).padEnd(label)}${" ".repeat(gap)}${isolated(line)}\n${rest.join("")}`;
    })
    .join("");
}

function drawTable({ columns, rows }: Table, style: TerminalStyle): Drawn {
  const titles = columns.map(({ title }) => title.toUpperCase());
  const cells = rows.map((row) => row.map(plainCell));
  const widths = fitWidths(
    columns.map(({ holds }, index) => ({
      title: style.header ? stringWidth(titles[index] ?? "") : 1,
      cells: Math.max(1, ...cells.map((row) => stringWidth(row[index] ?? ""))),
      holds,
    })),
    style.columns,
  );
  let shortensIds = false;
  const line = (row: readonly string[], paint: (text: string) => string, isTitle: boolean): string => {
    let room = style.columns ?? Infinity;
    let drawn = "";
    for (const [index, text] of row.entries()) {
      const { holds, right } = columns[index] ?? {};
      // What does not fit even at the least widths is left out: a terminal would wrap it.
      const width = Math.min(widths[index] ?? 0, room - (index === 0 ? 0 : gap));
      if (width < 1) break;
      const shown = isTitle ? cut(text, width) : shorten(text, width, holds);
      if (!isTitle && (holds === "id" || holds === "reference") && shown !== text) shortensIds = true;
      const padding = " ".repeat(Math.max(0, width - stringWidth(shown)));
      const cell = paint(isolated(shown));
      const isLast = index === row.length - 1;
      drawn += `${index === 0 ? "" : " ".repeat(gap)}${right === true ? padding + cell : isLast ? cell : cell + padding}`;
      room -= width + (index === 0 ? 0 : gap);
    }
    return `${drawn}\n`;
  };
  const text = [
    ...(style.header ? [line(titles, (title) => style.bold(title), true)] : []),
    ...cells.map((row) => line(row, (cell) => style.state(cell), false)),
  ].join("");
  return { text, shortensIds };
}

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE, where it has to be. */
function isolated(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}
