import { Button, Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Problem } from "../api/problem.tsx";
import { texts } from "../texts/index.ts";
import { download, toCsv, toJson } from "./export.ts";
import type { ExportedColumn } from "./export.ts";

/** What can be exported: the rows that `load` returns. */
export interface ExportMenuProps<Row> {
  /** The name of the table. */
  readonly name: string;
  readonly columns: readonly ExportedColumn<Row>[];
  /** Rejects if the signal is aborted. */
  readonly load: (signal: AbortSignal) => Promise<readonly Row[]>;
}

/** Offers a table as a file. What takes long can be cancelled. */
export function ExportMenu<Row>({ name, columns, load }: ExportMenuProps<Row>) {
  const file = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const loading = useMutation({ mutationFn: load });
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = (end: string, type: string, write: typeof toCsv<Row>): void => {
    const ending = new AbortController();
    running.current = ending;
    loading.mutate(ending.signal, { onSuccess: (rows) => download(`${file}.${end}`, type, write(columns, rows)) });
  };
  const cancel = (): void => {
    running.current?.abort();
    loading.reset();
  };
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
      {loading.isPending && (
        <Button variant="subtle" onClick={cancel}>
          {texts.table.cancelExport}
        </Button>
      )}
      <Problem error={loading.error} />
    </>
  );
}
