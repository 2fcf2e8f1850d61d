import { Alert, Stack, Title } from "@mantine/core";
import type { Execution, Metrics } from "@switchyard/client";
import { firstRequests } from "../../../api/first-requests.ts";
import { useCall } from "../../../api/queries.ts";
import { Facts } from "../../../controls/facts.tsx";
import type { Fact } from "../../../controls/facts.tsx";
import { formatCount, formatDuration, formatInterval, formatRate } from "../../../format/figures.ts";
import { DataTable } from "../../../table/data-table.tsx";
import { texts } from "../../../texts/index.ts";
import { columnRows } from "./column-rows.ts";
import { columnTable } from "./column-table.tsx";
import { useLateMetrics } from "./late-metrics.ts";

const text = texts.benchmarks.run;

/** The figures of a run, and the accuracy of each column. */
export function Overview({ run }: { run: Execution }) {
  const isRunning = run.status === "RUNNING";
  const metrics = useCall(...firstRequests.metrics(run.id), { repeatMs: isRunning && 3_000 });
  useLateMetrics([run], [metrics.data]);
  const rows = columnRows(run.configuration, metrics.data?.byColumn ?? []);
  const aggregated = metrics.data?.aggregated;
  return (
    <Stack>
      <Facts facts={[...accuracyFacts(metrics.data), ...costFacts(run, metrics.data)]} />
      {aggregated !== undefined && aggregated !== null && !aggregated.enoughFiles && !isRunning && (
        <Alert color="yellow" variant="light">
          {text.fewFiles}
        </Alert>
      )}
      <Title order={2} size="h4">
        {text.columns}
      </Title>
      <DataTable
        name={text.columns}
        columns={columnTable}
        rows={rows}
        rowKey={({ table, column }) => `${table}.${column}`}
        query={metrics}
        empty={text.noColumns}
      />
    </Stack>
  );
}

function accuracyFacts(metrics: Metrics | undefined): Fact[] {
  const figures = metrics?.aggregated;
  if (figures === null || figures === undefined) return [];
  const { successRate, ci95, f1, f1Ci95, exactFileRate, exactFileCi95, anls, totalFiles, totalCells } = figures;
  const interval = (range: typeof ci95): string | undefined =>
    range === null ? undefined : text.interval(formatInterval(range));
  const notScored = [
    figures.failedFiles > 0 ? text.failed(figures.failedFiles) : "",
    figures.leftOutFiles > 0 ? text.leftOut(figures.leftOutFiles) : "",
  ].filter((part) => part !== "");
  return [
    { name: text.accuracy, value: formatRate(successRate), note: interval(ci95) },
    { name: text.f1, value: formatRate(f1), note: interval(f1Ci95) },
    { name: text.exact, value: formatRate(exactFileRate), note: interval(exactFileCi95) },
    { name: text.anls, value: formatRate(anls) },
    { name: text.scoredFiles, value: formatCount(totalFiles), note: notScored.join(", ") || undefined },
    { name: text.cells, value: formatCount(totalCells) },
  ];
}

function costFacts(
  { startedAt, completedAt, usage, savings, engine }: Execution,
  metrics: Metrics | undefined,
): Fact[] {
  const facts: Fact[] = [];
  const latency = metrics?.latency;
  if (latency && latency.p50 !== null)
    facts.push({
      name: text.latency,
      value: formatDuration(latency.p50),
      note: text.latencyNote(formatDuration(latency.p95), formatDuration(latency.max)),
    });
  if (startedAt !== null && completedAt !== null)
    facts.push({ name: text.duration, value: formatDuration(Date.parse(completedAt) - Date.parse(startedAt)) });
  if (usage !== null) {
    const { inputTokens, outputTokens, cost } = usage;
    facts.push({
      name: text.usage,
      value: formatCount(inputTokens + outputTokens),
      note: text.usageNote(formatCount(inputTokens), formatCount(outputTokens)),
    });
    if (cost !== null) facts.push({ name: text.cost, value: cost.toFixed(4) });
  }
  if (savings !== null)
    facts.push({
      name: text.savings,
      value: text.savingsHours(savings.hours),
      note: text.savingsNote(savings.cells),
    });
  if (engine !== null)
    facts.push({
      name: text.engine,
      value: engine.name,
      note: text.engineNote(engine.learnedFrom, engine.crossFitted),
    });
  return facts;
}
