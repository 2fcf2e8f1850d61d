/**
 * What the cells of a column hold, which decides how they shrink on a narrow terminal: ids of other things first, then the ids of the
 * rows themselves, then times, and what people named or wrote after the titles. A path loses its beginning, a text its end.
 */
export type Content = "reference" | "id" | "time" | "text" | "path";

/** A column of a table. */
export interface Column {
  readonly title: string;
  /** Numbers stand to the right. */
  readonly right?: boolean;
  /** Words of few letters and numbers, when not said. */
  readonly holds?: Content;
}

/** A value as a cell shows it; nothing shows as "-". */
export type Cell = string | number | boolean | null | undefined;

/** Rows under titles. */
export interface Table {
  readonly kind: "table";
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Values by their names, one a line. */
export interface Fields {
  readonly kind: "fields";
  readonly fields: readonly (readonly [name: string, value: Cell])[];
}

/** What people see of an answer, one part under the other. */
export type View = readonly (Table | Fields)[];

/** A table of one view. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Table {
  return { kind: "table", columns, rows };
}

/** The fields of one view. */
export function fields(...entries: readonly (readonly [name: string, value: Cell])[]): Fields {
  return { kind: "fields", fields: entries };
}

/** The text of a cell. */
export function cellText(cell: Cell): string {
  return cell === null || cell === undefined || cell === "" ? "-" : String(cell);
}
