/**
 * The content of a column's cells, which determines how they shrink on a narrow terminal: first ids of other objects, then the ids of the
 * rows, then times, and after the titles texts of people. A path loses its beginning, and a text its end.
 */
export type Content = "reference" | "id" | "time" | "text" | "path";

/** A column of a table. */
export interface Column {
  readonly title: string;
  /** Whether the column is right-aligned, for numbers. */
  readonly right?: boolean;
  /** The content; by default short words and numbers. */
  readonly content?: Content;
}

/** The value of a cell. An absent value is shown as "-". */
export type Cell = string | number | boolean | null | undefined;

/** A table with titles and rows. */
export interface Table {
  readonly kind: "table";
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Named values, one on each line. */
export interface Fields {
  readonly kind: "fields";
  readonly fields: readonly (readonly [name: string, value: Cell])[];
}

/** The displayed form of a response, as parts below each other. */
export type View = readonly (Table | Fields)[];

/** Creates a view with a table. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Table {
  return { kind: "table", columns, rows };
}

/** Creates a view with fields. */
export function fields(...entries: readonly (readonly [name: string, value: Cell])[]): Fields {
  return { kind: "fields", fields: entries };
}

/** Returns the text of a cell. */
export function cellText(cell: Cell): string {
  return cell === null || cell === undefined || cell === "" ? "-" : String(cell);
}
