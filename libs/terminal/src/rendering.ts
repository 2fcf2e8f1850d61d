import getStringWidth from "fast-string-width";
import { truncate, shorten, wrap } from "./truncation.ts";
import { printable } from "./printable.ts";
import { cellText, type Cell, type Fields, type Table, type View } from "./view.ts";
import { fitWidths, gap } from "./widths.ts";

/** The style in which a view is rendered on a terminal. */
export interface TerminalStyle {
  /** The maximum width of a line; undefined for no limit. */
  readonly columns: number | undefined;
  readonly header: boolean;
  bold(text: string): string;
  /** Colors a word that states a status, such as PAUSED. */
  state(text: string): string;
}

/** A rendered view. */
export interface RenderedView {
  readonly text: string;
  /** Whether an id is shortened, so that it cannot be copied. */
  readonly shortensIds: boolean;
}

/**
 * Renders a view for people: columns are aligned by the display width of characters, and no line exceeds the maximum width. Names with
 * right-to-left characters are isolated, so that the following columns stay in place.
 */
export function renderView(view: View, style: TerminalStyle): RenderedView {
  const parts = view.map((part) =>
    part.kind === "table" ? drawTable(part, style) : { text: drawFields(part, style), shortensIds: false },
  );
  return {
    text: parts.map(({ text }) => text).join("\n"),
    shortensIds: parts.some(({ shortensIds }) => shortensIds),
  };
}

/** Renders a view for programs: one line for each row, with cells separated by tabs, and optionally a first line of titles. */
export function renderPlainView(view: View, header: boolean): string {
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
      return `${truncate(`${name}:`, label).padEnd(label)}${" ".repeat(gap)}${isolated(line)}\n${rest.join("")}`;
    })
    .join("");
}

function drawTable({ columns, rows }: Table, style: TerminalStyle): RenderedView {
  const titles = columns.map(({ title }) => title.toUpperCase());
  const cells = rows.map((row) => row.map(plainCell));
  const widths = fitWidths(
    columns.map(({ content }, index) => ({
      title: style.header ? getStringWidth(titles[index] ?? "") : 1,
      // As arguments of a single call, more than 100,000 rows would overflow the stack.
      cells: cells.reduce((widest, row) => Math.max(widest, getStringWidth(row[index] ?? "")), 1),
      content,
    })),
    style.columns,
  );
  let shortensIds = false;
  const line = (row: readonly string[], colorize: (text: string) => string, isTitle: boolean): string => {
    let room = style.columns ?? Infinity;
    let drawn = "";
    for (const [index, text] of row.entries()) {
      const { content, right } = columns[index] ?? {};
      // A column that does not fit even at the minimum widths is left out, because a terminal would wrap it.
      const width = Math.min(widths[index] ?? 0, room - (index === 0 ? 0 : gap));
      if (width < 1) break;
      const shown = isTitle ? truncate(text, width) : shorten(text, width, content);
      if (!isTitle && (content === "id" || content === "reference") && shown !== text) shortensIds = true;
      const padding = " ".repeat(Math.max(0, width - getStringWidth(shown)));
      const cell = colorize(isolated(shown));
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

/** Encloses a text in FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE if necessary. */
function isolated(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}
