/** A column of a table. */
export interface Column {
  readonly title: string;
  /** Numbers stand to the right. */
  readonly right?: boolean;
  /** Whether it may be cut at the end where the terminal is too narrow; ids never are. */
  readonly shrinks?: boolean;
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
