import type {
  Column,
  ColumnInputBody,
  Configuration,
  ExtractionSettings,
  Table,
  TableInputBody,
} from "@switchyard/client";
import { localEngine } from "../../../controls/engine-options.ts";

/** A column as it is edited. */
export type ColumnDraft = Omit<Column, "id" | "tableId" | "index">;

/** A table as it is edited, with its columns in order. */
export interface TableDraft extends Omit<Table, "id"> {
  readonly columns: readonly ColumnDraft[];
}

/** A schema as it is edited. Nothing of it counts before it is saved. */
export interface Draft {
  readonly instructions: string;
  readonly tables: readonly TableDraft[];
  readonly extractionSettings: ExtractionSettings;
}

/** A draft that is being edited, and the version that it began with. */
export interface EditedDraft {
  readonly draft: Draft;
  readonly version: number;
}

/** The settings of a model that has none yet, which are those that the server would give it. */
const defaultSettings: ExtractionSettings = {
  engine: localEngine,
  modelName: null,
  temperature: null,
  useExamples: true,
  numberOfExamples: 5,
};

/** A new column. */
export const emptyColumn: ColumnDraft = {
  slug: "",
  name: "",
  type: "TEXT",
  description: "",
  isKey: false,
  required: false,
  excludedFromExtraction: false,
  sharedId: null,
  enumValues: [],
  synonyms: [],
  matching: null,
};

/** Returns a configuration as a draft without changes. */
export function toDraft({ instructions, tables, columns, extractionSettings }: Configuration): Draft {
  return {
    instructions,
    extractionSettings: extractionSettings ?? defaultSettings,
    tables: tables.map(({ id, ...table }) => ({
      ...table,
      columns: columns
        .filter(({ tableId }) => tableId === id)
        .map(({ id: _id, tableId: _tableId, index: _index, ...column }) => column),
    })),
  };
}

/** The part of a request that a draft becomes. */
export interface SchemaRequest {
  readonly instructions: string;
  readonly tables: readonly TableInputBody[];
  readonly columns: readonly ColumnInputBody[];
  readonly extractionSettings: ExtractionSettings;
}

/** Returns the request that saves a draft. A name that is empty becomes the slug. */
export function toRequest({ instructions, tables, extractionSettings }: Draft): SchemaRequest {
  return {
    instructions,
    extractionSettings,
    tables: tables.map(({ columns: _columns, ...table }) => withName(table)),
    columns: tables.flatMap(({ slug, columns }) => columns.map((column) => ({ table: slug, ...withName(column) }))),
  };
}

function withName<Named extends { readonly name: string; readonly slug: string }>(named: Named): Named {
  return named.name.trim() === "" ? { ...named, name: named.slug } : named;
}

/** Replaces the table at a position. A table that becomes the primary one takes this from the others. */
export function setTable(draft: Draft, position: number, table: TableDraft): Draft {
  const tables = position < draft.tables.length ? draft.tables.with(position, table) : [...draft.tables, table];
  if (!table.isPrimary) return { ...draft, tables };
  return { ...draft, tables: tables.map((each, at) => (at === position ? each : { ...each, isPrimary: false })) };
}

/** Removes the table at a position. */
export function removeTable(draft: Draft, position: number): Draft {
  return { ...draft, tables: draft.tables.toSpliced(position, 1) };
}

/** Replaces the column at a position of a table, or adds it after the last one. */
export function setColumn(draft: Draft, table: number, position: number, column: ColumnDraft): Draft {
  return changeColumns(draft, table, (columns) => columns.toSpliced(position, 1, column));
}

/** Removes the column at a position of a table. */
export function removeColumn(draft: Draft, table: number, position: number): Draft {
  return changeColumns(draft, table, (columns) => columns.toSpliced(position, 1));
}

/** Moves a column of a table by one position, up or down. At the end, nothing changes. */
export function moveColumn(draft: Draft, table: number, position: number, by: 1 | -1): Draft {
  return changeColumns(draft, table, (columns) => {
    const [moved, other] = [columns[position], columns[position + by]];
    return moved === undefined || other === undefined
      ? columns
      : columns.with(position, other).with(position + by, moved);
  });
}

function changeColumns(
  draft: Draft,
  position: number,
  change: (columns: readonly ColumnDraft[]) => readonly ColumnDraft[],
): Draft {
  const table = draft.tables[position];
  if (table === undefined) return draft;
  return { ...draft, tables: draft.tables.with(position, { ...table, columns: change(table.columns) }) };
}
