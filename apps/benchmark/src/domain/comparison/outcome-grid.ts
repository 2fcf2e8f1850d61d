import type { Outcome } from "../cells/cell-counts.ts";
import type { CellScore, ScoredColumn, ScoredConfiguration } from "../tables/table-score.ts";

const bytesOfCount = 4;

/** The codes of outcomes in a grid. `none` means that there is no cell. */
export const codeOf = {
  none: 0,
  correct: 1,
  correctlyEmpty: 2,
  wrong: 3,
  invented: 4,
  missing: 5,
} as const satisfies Record<Outcome | "none", number>;
/** The codes of outcomes that are correct are up to this one. */
export const lastRightCode = codeOf.correctlyEmpty;

/** The outcomes of the cells of a table in one file: `width` codes for each row. */
export interface TableGrid {
  readonly rows: number;
  readonly width: number;
  readonly codes: Uint8Array;
}

/** Returns the columns of a table that are scored, in their order. They are the columns of its grid. */
export function getScoredColumns({ columns }: ScoredConfiguration, tableId: string): ScoredColumn[] {
  return columns.filter((column) => column.tableId === tableId && !column.excludedFromExtraction);
}

/**
 * Packs the outcomes of the cells of a file: for each table of the configuration the number of rows, and one byte per row and scored
 * column. This is all that a comparison of runs needs of the cells, in a small part of their size.
 */
export function packOutcomes(configuration: ScoredConfiguration, cells: readonly CellScore[]): Uint8Array {
  const tables = configuration.tables.map(({ id, slug }) => {
    const columns = getScoredColumns(configuration, id);
    return { slug, places: new Map(columns.map((column, place) => [column.id, place])), rows: 0, start: 0 };
  });
  const bySlug = new Map(tables.map((table) => [table.slug, table]));
  for (const { table: slug, row } of cells) {
    const table = bySlug.get(slug);
    if (table !== undefined) table.rows = Math.max(table.rows, row + 1);
  }
  let size = 0;
  for (const table of tables) {
    table.start = size + bytesOfCount;
    size = table.start + table.rows * table.places.size;
  }
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  for (const { start, rows } of tables) view.setUint32(start - bytesOfCount, rows, true);
  for (const { table: slug, row, columnId, outcome } of cells) {
    const table = bySlug.get(slug);
    const place = table?.places.get(columnId);
    if (table === undefined || place === undefined) continue;
    bytes[table.start + row * table.places.size + place] = codeOf[outcome];
  }
  return bytes;
}

/** Unpacks what {@link packOutcomes} packed: one grid for each table, whose `widths` are the numbers of their scored columns. */
export function unpackOutcomes(bytes: Uint8Array, widths: readonly number[]): TableGrid[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let start = 0;
  return widths.map((width) => {
    const rows = view.getUint32(start, true);
    const from = start + bytesOfCount;
    start = from + rows * width;
    return { rows, width, codes: bytes.subarray(from, start) };
  });
}
