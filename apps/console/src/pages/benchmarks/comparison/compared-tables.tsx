import { Group, Stack, Switch, Text, Title } from "@mantine/core";
import type { ColumnComparison, Comparison, MetricComparison } from "@switchyard/client";
import { DifferenceBar } from "../../../controls/bar.tsx";
import { useParameters } from "../../../controls/parameters.ts";
import { formatPoints, formatPointsInterval, formatPValue, formatRate } from "../../../format/figures.ts";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import { getScale, isDifferent, metricRows } from "./differences.ts";
import type { MetricRow } from "./differences.ts";
import { Verdict } from "./verdict.tsx";

const text = texts.benchmarks.comparison;

/** The metrics of two runs, and the accuracy of each column. */
export function ComparedTables({ comparison }: { comparison: Comparison }) {
  const parameters = useParameters();
  const metrics = metricRows(comparison);
  const columns = comparison.byColumn;
  const onlyDifferent = parameters.get("columns") === "different";
  const ofMetrics = getScale(metrics.map(({ figures }) => figures));
  const ofColumns = getScale(columns.map(({ successRate }) => successRate));
  return (
    <Stack>
      <Title order={3} size="h5">
        {text.metrics}
      </Title>
      <DataTable
        name={text.metrics}
        columns={[
          {
            title: text.metric,
            value: ({ metric }: MetricRow) => metric,
            cell: ({ metric }: MetricRow) => text.metricNames[metric],
          },
          ...figureColumns(({ figures }: MetricRow) => figures, ofMetrics),
        ]}
        rows={metrics}
        rowKey={({ metric }) => metric}
        empty={null}
      />
      <Group>
        <Title order={3} size="h5">
          {text.columns}
        </Title>
        <Switch
          label={text.differentOnly}
          checked={onlyDifferent}
          onChange={(event) => parameters.set({ columns: event.currentTarget.checked ? "different" : "" })}
        />
      </Group>
      <DataTable
        name={text.columns}
        columns={[
          { title: texts.benchmarks.run.column, value: ({ slug }: ColumnComparison) => slug },
          { title: texts.benchmarks.run.table, value: ({ table }: ColumnComparison) => table },
          ...figureColumns(({ successRate }: ColumnComparison) => successRate, ofColumns),
        ]}
        rows={onlyDifferent ? columns.filter(isDifferent) : columns}
        rowKey={({ columnId }) => columnId}
        empty={<Text>{text.sameColumns}</Text>}
      />
    </Stack>
  );
}

/** The columns of a table for the figures of its rows. */
function figureColumns<Row>(of: (row: Row) => MetricComparison | null, scale: number): Column<Row>[] {
  return [
    {
      title: text.before,
      value: (row) => of(row)?.baseline ?? null,
      cell: (row) => formatRate(of(row)?.baseline),
      align: "right",
    },
    {
      title: text.candidate,
      value: (row) => of(row)?.candidate ?? null,
      cell: (row) => formatRate(of(row)?.candidate),
      align: "right",
    },
    {
      title: text.delta,
      value: (row) => of(row)?.delta ?? null,
      cell: (row) => <Difference figures={of(row)} scale={scale} />,
    },
    {
      title: text.interval,
      value: (row) => formatPointsInterval(of(row)?.ci95),
    },
    {
      title: text.pValue,
      value: (row) => of(row)?.pValue ?? null,
      cell: (row) => formatPValue(of(row)?.pValue),
      align: "right",
    },
    {
      title: text.verdict,
      value: (row) => of(row)?.verdict ?? null,
      cell: (row) => {
        const figures = of(row);
        return figures === null || figures.delta === null ? texts.none : <Verdict verdict={figures.verdict} />;
      },
    },
  ];
}

function Difference({ figures, scale }: { figures: MetricComparison | null; scale: number }) {
  if (figures === null || figures.delta === null) return texts.none;
  return (
    <Group gap="xs" wrap="nowrap">
      <DifferenceBar delta={figures.delta} interval={figures.ci95} scale={scale} />
      <span>{formatPoints(figures.delta)}</span>
    </Group>
  );
}
