import { Button, Center, Group, Loader, Menu, Stack, Table, Text } from "@mantine/core";
import { useState } from "react";
import type { ReactNode } from "react";
import { Problem } from "../api/problem.tsx";
import { texts } from "../texts/index.ts";
import { download, toCsv, toJson } from "./export.ts";
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
  /** The state of the call that brings the rows. */
  readonly query: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
    readonly hasNextPage?: boolean;
    readonly isFetchingNextPage?: boolean;
    readonly fetchNextPage?: () => unknown;
  };
  /** What is shown without rows: the next step. */
  readonly empty: ReactNode;
}

/** The number of rows that are drawn at once, so that the table of a thousand rows answers a click as fast as a small one. */
const step = 50;

/** A table whose rows can be exported. More rows are drawn, and requested, on demand. */
export function DataTable<Row>({ name, columns, rows, rowKey, query, empty }: DataTableProps<Row>) {
  const [drawn, setDrawn] = useState(step);
  if (query.isPending)
    return (
      <Center p="xl">
        <Loader aria-label={texts.table.loading} />
      </Center>
    );
  if (rows.length === 0) return query.error ? <Problem error={query.error} retry={query.refetch} /> : <>{empty}</>;
  const visible = rows.slice(0, drawn);
  const hasMore = rows.length > drawn || query.hasNextPage === true;
  const showMore = (): void => {
    setDrawn((count) => count + step);
    if (rows.length <= drawn + step && query.hasNextPage === true) query.fetchNextPage?.();
  };
  return (
    <Stack gap="xs">
      {query.error ? <Problem error={query.error} retry={query.refetch} /> : null}
      <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table striped highlightOnHover aria-label={name}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ title, align }) => (
                <Table.Th key={title} ta={align} scope="col">
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {visible.map((row) => (
              <Table.Tr key={rowKey(row)}>
                {columns.map(({ title, align, cell, value }) => (
                  <Table.Td key={title} ta={align}>
                    {cell?.(row) ?? String(value(row) ?? texts.none)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Group justify="space-between">
        <Text size="sm">{texts.table.count(visible.length, !hasMore)}</Text>
        <Group>
          {hasMore && (
            <Button variant="default" onClick={showMore} loading={query.isFetchingNextPage === true}>
              {texts.table.more}
            </Button>
          )}
          <ExportMenu name={name} columns={columns} rows={rows} />
        </Group>
      </Group>
    </Stack>
  );
}

function ExportMenu<Row>({ name, columns, rows }: Pick<DataTableProps<Row>, "name" | "columns" | "rows">) {
  const file = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return (
    <Menu>
      <Menu.Target>
        <Button variant="subtle">{texts.table.export}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => download(`${file}.csv`, "text/csv", toCsv(columns, rows))}>
          {texts.table.csv}
        </Menu.Item>
        <Menu.Item onClick={() => download(`${file}.json`, "application/json", toJson(columns, rows))}>
          {texts.table.json}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
