import type { Metrics, Usage } from "@switchyard/client";
import { fields, table, type Column, type View } from "@switchyard/terminal";

/** Formats a rate in per cent with its interval, if there is one. */
export function percent(
  rate: number | null | undefined,
  interval?: { readonly low: number; readonly high: number } | null,
) {
  if (rate === null || rate === undefined) return null;
  const figure = (value: number): string => (value * 100).toFixed(1);
  return `${figure(rate)} %${interval ? ` (${figure(interval.low)} to ${figure(interval.high)})` : ""}`;
}

/** Formats the tokens that a language model used: sent and received. Null if the engine has none. */
export function formatTokens(usage: Usage | null): string | null {
  return usage === null ? null : `${usage.inputTokens} in, ${usage.outputTokens} out`;
}

const metricColumns: readonly Column[] = [
  { title: "table" },
  { title: "column" },
  { title: "correct", right: true },
  { title: "precision", right: true },
  { title: "recall", right: true },
  { title: "f1", right: true },
  { title: "wrong", right: true },
  { title: "invented", right: true },
  { title: "missing", right: true },
];

/** Formats the metrics of a run and of its columns. */
export function metricsView({ aggregated, byColumn, latency }: Metrics): View {
  const median = latency?.p50 ?? null;
  return [
    fields(
      ["correct cells", percent(aggregated?.successRate, aggregated?.ci95)],
      ["precision", percent(aggregated?.precision)],
      ["recall", percent(aggregated?.recall)],
      ["f1", percent(aggregated?.f1)],
      ["correct files", percent(aggregated?.exactFileRate, aggregated?.exactFileCi95)],
      ["milliseconds per file", median === null ? null : Math.round(median)],
    ),
    table(
      metricColumns,
      byColumn.map(({ table: name, slug, successRate, precision, recall, f1, outcomes }) => [
        name,
        slug,
        percent(successRate),
        percent(precision),
        percent(recall),
        percent(f1),
        outcomes?.wrong,
        outcomes?.invented,
        outcomes?.missing,
      ]),
    ),
  ];
}
