import { Group } from "@mantine/core";
import { RateBar } from "../../../controls/bar.tsx";
import { Status } from "../../../controls/status.tsx";
import { formatInterval, formatRate } from "../../../format/figures.ts";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import type { ColumnRow } from "./column-rows.ts";

const text = texts.benchmarks.run;
const { outcomes } = texts.benchmarks;

/** The columns of the table of accuracy by column. */
export const columnTable: readonly Column<ColumnRow>[] = [
  { title: text.column, value: ({ column }) => column, cell: ({ name, column }) => name || column },
  {
    title: text.table,
    value: ({ table }) => table,
    cell: ({ table }) => <span style={{ whiteSpace: "nowrap" }}>{table}</span>,
  },
  {
    title: text.accuracy,
    value: ({ metrics }) => metrics?.successRate ?? null,
    cell: (row) => <Accuracy {...row} />,
  },
  {
    title: text.interval95,
    value: ({ metrics }) => (metrics?.ci95 ? formatInterval(metrics.ci95) : null),
  },
  {
    title: text.f1,
    value: ({ metrics }) => metrics?.f1 ?? null,
    cell: ({ metrics }) => formatRate(metrics?.f1),
    align: "right",
  },
  { title: text.support, value: ({ metrics }) => metrics?.support ?? null, align: "right" },
  { title: outcomes.CORRECT, value: ({ metrics }) => metrics?.outcomes?.correct ?? null, align: "right" },
  {
    title: outcomes.CORRECTLY_EMPTY,
    value: ({ metrics }) => metrics?.outcomes?.correctlyEmpty ?? null,
    align: "right",
  },
  { title: outcomes.WRONG, value: ({ metrics }) => metrics?.outcomes?.wrong ?? null, align: "right" },
  { title: outcomes.INVENTED, value: ({ metrics }) => metrics?.outcomes?.invented ?? null, align: "right" },
  { title: outcomes.MISSING, value: ({ metrics }) => metrics?.outcomes?.missing ?? null, align: "right" },
];

function Accuracy({ isExcluded, metrics }: ColumnRow) {
  if (isExcluded) return <Status tone="neutral">{text.notScored}</Status>;
  const rate = metrics?.successRate;
  if (rate === null || rate === undefined) return <Status tone="neutral">{text.noLabels}</Status>;
  return (
    <Group gap="xs" wrap="nowrap">
      <RateBar rate={rate} interval={metrics?.ci95} />
      <span>{formatRate(rate)}</span>
    </Group>
  );
}
