import type { ExtractedRow } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { setImmediate } from "node:timers/promises";
import { isMatch } from "../../domain/rows/cells.ts";
import { decodeTables } from "../../store/tables.ts";
import type { CurrentValuesStore, PlacedValues, ValuesQuery } from "../../store/values/current-values.ts";

/** A query for the rows of a table over the files of a model. */
export interface RowQuery extends Omit<ValuesQuery, "start"> {
  /** The slug of the table. */
  table: string;
  /** The folded text to search for; empty for all rows. */
  search: string;
}

/** A row with its number and the file that it is from. */
export interface FileRow {
  file: PlacedValues;
  number: number;
  row: ExtractedRow;
}

/** The place of a row: its file, and its number there. A number of null is the place after all rows of the file. */
export interface RowPlace {
  position: string;
  number: number | null;
}

/** Reads the rows of files, the newest file first. Other requests are served while it does. */
export interface RowReader {
  /** Yields the matching rows of each file after a place, read in batches of `batch` files. Files without such rows are empty lists. */
  files(
    query: RowQuery,
    after: RowPlace | undefined,
    batch: number,
  ): AsyncGenerator<{ file: PlacedValues; rows: FileRow[] }, void>;
  /** Reads a page. `next` is the place after which to continue, if there may be more. */
  page(query: RowQuery, after: RowPlace | undefined, limit: number): Promise<{ rows: FileRow[]; next?: RowPlace }>;
}

/** The maximum number of files that are examined for a page. */
const maxExamined = 5_000;
/** The number of files in a batch of a search. */
const searchBatch = 500;

/** The size of values, in bytes, that are decoded before other requests are served. */
const bytesPerTurn = 64 * 1024;

/** Creates the reader. `limits` is for tests. */
export function createRowReader(
  currentValues: Pick<CurrentValuesStore, "read">,
  limits: { readonly maxExamined: number } = { maxExamined },
): RowReader {
  // All readers share the turns: each turn decodes the values of one of them.
  let turns = Promise.resolve();
  const nextTurn = (): Promise<void> => (turns = turns.then(() => setImmediate()));

  async function* files(...[query, after, batch]: Parameters<RowReader["files"]>): ReturnType<RowReader["files"]> {
    let start = after && { position: after.position, inclusive: after.number !== null };
    let bytes = 0;
    for (let more = true; more;) {
      const read = await currentValues.read({ ...query, start }, batch);
      for (const file of read.found) {
        bytes += file.tables.length;
        if (bytes > bytesPerTurn) {
          await nextTurn();
          bytes = file.tables.length;
        }
        const first = file.position === after?.position && after.number !== null ? after.number + 1 : 0;
        yield { file, rows: matchingRows(file, query, first) };
        start = { position: file.position, inclusive: false };
      }
      more = read.more;
    }
  }

  return {
    files,

    async page(query, after, limit) {
      const rows: FileRow[] = [];
      let examined = 0;
      for await (const { file, rows: found } of files(query, after, query.search === "" ? limit + 1 : searchBatch)) {
        rows.push(...found.slice(0, limit + 1 - rows.length));
        const last = rows[limit - 1];
        if (rows.length > limit && last !== undefined) {
          return { rows: rows.slice(0, limit), next: { position: last.file.position, number: last.number } };
        }
        examined += 1;
        if (examined === limits.maxExamined) return { rows, next: { position: file.position, number: null } };
      }
      return { rows };
    },
  };
}

function matchingRows(file: PlacedValues, { table, search }: RowQuery, first: number): FileRow[] {
  const rows = decodeTables(file.tables).find(({ slug }) => slug === table)?.rows ?? [];
  return rows.flatMap((row, number) =>
    number >= first && isMatch(file.filename, row, search) ? [{ file, number, row }] : [],
  );
}
