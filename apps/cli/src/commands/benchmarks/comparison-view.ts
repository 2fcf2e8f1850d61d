import type { Comparison, MetricComparison } from "@switchyard/client";
import { fields, table, type Cell, type Column, type View } from "@switchyard/terminal";
import { percent } from "./metrics-view.ts";

const metricColumns: readonly Column[] = [
  { title: "metric" },
  { title: "baseline", right: true },
  { title: "candidate", right: true },
  { title: "difference", right: true },
  { title: "p", right: true },
  { title: "verdict" },
  { title: "files needed", right: true },
];
const cellColumns: readonly Column[] = [
  { title: "change" },
  { title: "file", content: "id" },
  { title: "table" },
  { title: "row", right: true },
  { title: "column" },
];

/** Formats the comparison of two runs: what it is based on, the metrics and columns, and the cells that changed. */
export function comparisonView(comparison: Comparison): View {
  const { aggregated, byColumn, configuration, engines, filesCompared, enoughFiles } = comparison;
  const changes = [
    ...(configuration?.added ?? []).map(({ table: name, slug }) => `+${name}.${slug}`),
    ...(configuration?.removed ?? []).map(({ table: name, slug }) => `-${name}.${slug}`),
    ...(configuration?.changed ?? []).map(
      ({ table: name, slug, fields: names }) => `${name}.${slug} (${names.join(", ")})`,
    ),
  ];
  const engine = (version: { name: string; version: string } | null | undefined): string =>
    version ? `${version.name} ${version.version}` : "-";
  const [before, after] = [engine(engines?.baseline), engine(engines?.candidate)];
  return [
    fields(
      ["baseline", comparison.baseline],
      ["candidate", comparison.candidate],
      ["files compared", `${filesCompared}${enoughFiles ? "" : " (few)"}`],
      ["configuration", configuration?.parts.length === 0 ? "the same" : configuration?.parts.join(", ")],
      ["changed columns", changes.length === 0 ? null : changes.join(", ")],
      ["engine", before === after ? before : `${before}, now ${after}`],
      ["newly failing cells", comparison.newlyFailingCount],
      ["newly passing cells", comparison.newlyPassingCount],
      ["still wrong cells", comparison.stillWrong],
    ),
    table(metricColumns, [
      ...Object.entries<MetricComparison | null>({ ...aggregated }).map(([name, metric]) => metricRow(name, metric)),
      ...byColumn.map(({ table: name, slug, successRate }) => metricRow(`${name}.${slug}`, successRate)),
    ]),
    table(cellColumns, [
      ...comparison.newlyFailing.map((cell) => ["failing", cell.fileId, cell.table, cell.row, cell.column]),
      ...comparison.newlyPassing.map((cell) => ["passing", cell.fileId, cell.table, cell.row, cell.column]),
    ]),
  ];
}

function metricRow(name: string, metric: MetricComparison | null): Cell[] {
  const { baseline, candidate, delta, ci95, pValue, verdict, filesNeeded } = metric ?? {};
  return [
    name,
    percent(baseline),
    percent(candidate),
    percent(delta, ci95),
    pValue === null || pValue === undefined ? null : pValue.toFixed(4),
    verdict,
    filesNeeded,
  ];
}
