import { Button, Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Problem } from "../api/problem.tsx";
import { texts } from "../texts/index.ts";
import { download, toCsv, toJson } from "./export.ts";
import type { ExportedColumn } from "./export.ts";

/** What can be exported: the rows that `load` returns. */
export interface ExportMenuProps<Row> {
  /** The name of the table. */
  readonly name: string;
  readonly columns: readonly ExportedColumn<Row>[];
  readonly load: () => Promise<readonly Row[]>;
}

/** Offers a table as a file. */
export function ExportMenu<Row>({ name, columns, load }: ExportMenuProps<Row>) {
  const file = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const loading = useMutation({ mutationFn: load });
  const save = (end: string, type: string, write: typeof toCsv<Row>): void =>
    loading.mutate(undefined, { onSuccess: (rows) => download(`${file}.${end}`, type, write(columns, rows)) });
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="subtle" loading={loading.isPending}>
            {texts.table.export}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => save("csv", "text/csv", toCsv)}>{texts.table.csv}</Menu.Item>
          <Menu.Item onClick={() => save("json", "application/json", toJson)}>{texts.table.json}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Problem error={loading.error} />
    </>
  );
}
