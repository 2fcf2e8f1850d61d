import { table } from "@switchyard/terminal";
import type { Table } from "@switchyard/terminal";
import type { Api } from "./api.ts";

interface MetricComparison {
  baseline: number | null;
  candidate: number | null;
  delta: number | null;
  verdict: string;
  filesNeeded: number | null;
}

interface Comparison {
  aggregated: Record<string, MetricComparison>;
}

/** Compares a run with an earlier one, and returns a table of their metrics. */
export async function compareRuns(api: Api, baseline: string, candidate: string): Promise<Table> {
  const path = `/api/v1/benchmarks/${candidate}/compare?baseline=${baseline}`;
  const { aggregated } = await api.get<Comparison>(path);
  // ANLS* has no figures, because the versions do not have the same columns.
  const compared = Object.entries(aggregated).filter(([, { delta }]) => delta !== null);
  return table(
    [
      { title: "metric" },
      { title: "first version", right: true },
      { title: "current version", right: true },
      { title: "difference", right: true },
      { title: "verdict" },
      { title: "files needed for a verdict", right: true },
    ],
    compared.map(([metric, comparison]) => [
      metric,
      percent(comparison.baseline),
      percent(comparison.candidate),
      percent(comparison.delta),
      comparison.verdict,
      comparison.filesNeeded,
    ]),
  );
}

function percent(share: number | null): string {
  return share === null ? "n/a" : `${(100 * share).toFixed(1)} %`;
}
