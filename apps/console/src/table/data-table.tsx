import { Button, Group, Stack, Table, Text } from "@mantine/core";
import { useDeferredValue, useState } from "react";
import type { ReactNode } from "react";
import { Problem } from "../api/problem.tsx";
import { Waiting } from "../api/waiting.tsx";
import { toScrolling } from "../controls/scrolling.ts";
import { texts } from "../texts/index.ts";
import classes from "./data-table.module.css";
import { keepDrawn, readDrawn } from "./drawn-rows.ts";
import { ExportMenu } from "./export-menu.tsx";
import type { ExportedColumn } from "./export.ts";

/** A column of a table. `value` is what is exported, and what is shown without `cell`. */
export interface Column<Row> extends ExportedColumn<Row> {
  readonly cell?: (row: Row) => ReactNode;
  readonly align?: "left" | "right";
}

/** What a table shows. */
export interface DataTableProps<Row> {
  /** The name of the table for screen readers, and of exported files. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The state of the call that brings the rows; absent if they are there. */
  readonly query?: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
    readonly hasNextPage?: boolean;
    readonly isFetchingNextPage?: boolean;
    readonly fetchNextPage?: () => unknown;
  };
  /** Loads all rows, to be exported, until the signal is aborted; absent if `rows` are all. */
  readonly loadAll?: (signal: AbortSignal) => Promise<readonly Row[]>;
  /** What is shown without rows: the next step. */
  readonly empty: ReactNode;
}

/** The number of rows that are drawn at once, so that the table of a thousand rows answers a click as fast as a small one. */
const step = 50;
/** The number of rows that are drawn first, which fill a screen. The others follow as soon as these are shown. */
const firstRows = 15;

const loaded = { isPending: false, error: null, refetch: () => undefined };

/** A table whose rows can be exported. More rows are drawn, and requested, on demand. */
export function DataTable<Row>({ query = loaded, ...table }: DataTableProps<Row>) {
  if (query.isPending) return <Waiting error={null} retry={query.refetch} />;
  if (table.rows.length === 0)
    return query.error ? <Problem error={query.error} retry={query.refetch} /> : <>{table.empty}</>;
  return <Rows query={query} {...table} />;
}

type RowsProps<Row> = Omit<DataTableProps<Row>, "empty" | "query"> & Required<Pick<DataTableProps<Row>, "query">>;

function Rows<Row>({ name, columns, rows, rowKey, query, loadAll }: RowsProps<Row>) {
  const [restored] = useState(() => readDrawn(name));
  const [drawn, setDrawn] = useState(restored ?? step);
  // The browser scrolls to where it was as soon as it is back, so all rows must be there then.
  const limit = useDeferredValue(drawn, restored ?? firstRows);
  const visible = rows.slice(0, limit);
  const hasMore = rows.length > drawn || query.hasNextPage === true;
  const showMore = (): void => {
    setDrawn(drawn + step);
    keepDrawn(name, drawn + step);
    if (rows.length <= drawn + step && query.hasNextPage === true) query.fetchNextPage?.();
  };
  return (
    <Stack gap="xs">
      {query.error ? <Problem error={query.error} retry={query.refetch} /> : null}
      <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: toScrolling(name) }}>
        <table className={classes["table"]} aria-label={name}>
          <thead>
            <tr>
              {columns.map(({ title, align }) => (
                <th key={title} data-align={align} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {visible.map((row) => (
              <tr key={rowKey(row)}>
                {columns.map(({ title, align, cell, value }) => {
                  const own = value(row);
                  const shown = cell?.(row) ?? String(own ?? texts.none);
                  return (
                    <td key={title} data-align={align} data-short={findShort(shown, own)}>
                      {shown}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Table.ScrollContainer>
      <Group justify="space-between">
        <Text size="sm">{texts.table.count(Math.min(rows.length, drawn), !hasMore)}</Text>
        <Group>
          {hasMore && (
            <Button variant="default" onClick={showMore} loading={query.isFetchingNextPage === true}>
              {texts.table.more}
            </Button>
          )}
          <ExportMenu
            name={name}
            columns={columns}
            load={query.hasNextPage === true && loadAll !== undefined ? loadAll : () => Promise.resolve(rows)}
          />
        </Group>
      </Group>
    </Stack>
  );
}

/** The length of words that are not broken: that of the longest name of an action, `classification.review`. */
const maxWord = 21;

/**
 * Whether a cell is one short word, as dates and numbers are, which is not broken at its hyphens, or several, as times are, which are broken
 * only between words. The value of a cell counts, not what follows it there.
 */
function findShort(shown: ReactNode, value: unknown): "word" | "words" | undefined {
  const text = typeof shown === "string" ? shown : value;
  if (typeof text !== "string") return undefined;
  // A time is broken between the day and the hour only. What belongs together has another kind of space.
  const words = text.split(/[ \n\r\t]+/);
  if (text === shown && words.length === 1 && text.length <= maxWord) return "word";
  return words.every((word) => word.split("-").every((part) => part.length <= maxWord)) ? "words" : undefined;
}
