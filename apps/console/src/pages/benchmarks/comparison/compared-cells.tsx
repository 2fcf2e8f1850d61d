import { Anchor, Stack, Text, Title } from "@mantine/core";
import type { ComparedCell, Comparison, Execution } from "@switchyard/client";
import { useState } from "react";
import { Link } from "wouter";
import { formatValue } from "../../../format/figures.ts";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import { toKey } from "../cells/cell-marks.ts";
import { useCellValues } from "./cell-values.ts";
import type { CellValues } from "./cell-values.ts";

const text = texts.benchmarks.comparison;

/** The number of cells whose values are requested at once. */
const step = 20;

/** The cells that only one of two runs has right, with the values of both. */
export function ComparedCells({ run, comparison }: { run: Execution; comparison: Comparison }) {
  const { newlyFailing, newlyPassing, newlyFailingCount, newlyPassingCount, stillWrong } = comparison;
  return (
    <Stack>
      <Title order={3} size="h5">
        {text.broken(newlyFailingCount)}
      </Title>
      <Cells
        name={text.brokenName}
        cells={newlyFailing}
        run={run}
        baseline={comparison.baseline}
        empty={text.brokenNone}
      />
      <Title order={3} size="h5">
        {text.fixed(newlyPassingCount)}
      </Title>
      <Cells
        name={text.fixedName}
        cells={newlyPassing}
        run={run}
        baseline={comparison.baseline}
        empty={text.fixedNone}
      />
      <Text>{text.stillWrong(stillWrong)}</Text>
    </Stack>
  );
}

interface CellsProps {
  readonly name: string;
  readonly cells: readonly ComparedCell[];
  readonly run: Execution;
  readonly baseline: string;
  readonly empty: string;
}

function Cells({ name, cells, run, baseline, empty }: CellsProps) {
  const [shown, setShown] = useState(step);
  const visible = cells.slice(0, shown);
  const values = useCellValues(visible, baseline, run.id);
  return (
    <DataTable
      name={name}
      columns={columnsOf(run.id)}
      rows={visible.map((cell, index) => ({ ...cell, ...values[index] }))}
      rowKey={({ fileId, table, row, column }) => `${fileId} ${table} ${row} ${column}`}
      query={{
        isPending: false,
        error: null,
        refetch: () => undefined,
        hasNextPage: cells.length > shown,
        fetchNextPage: () => setShown((count) => count + step),
      }}
      empty={<Text>{empty}</Text>}
    />
  );
}

type Row = ComparedCell & Partial<CellValues>;

function columnsOf(executionId: string): readonly Column<Row>[] {
  return [
    {
      title: texts.benchmarks.results.file,
      value: ({ filename, fileId }) => filename ?? fileId,
      cell: (cell) => (
        <Anchor component={Link} href={`/${executionId}/files/${cell.fileId}?cell=${toKey(cell)}`}>
          {cell.filename ?? cell.fileId}
        </Anchor>
      ),
    },
    { title: texts.benchmarks.run.table, value: ({ table }) => table },
    { title: texts.benchmarks.cells.row, value: ({ row }) => row + 1, align: "right" },
    { title: texts.benchmarks.run.column, value: ({ column }) => column },
    { title: texts.benchmarks.cells.expected, value: ({ expected }) => formatValue(expected) },
    { title: text.before, value: ({ before }) => formatValue(before) },
    { title: text.after, value: ({ after }) => formatValue(after) },
  ];
}
