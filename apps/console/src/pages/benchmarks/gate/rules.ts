import type { Configuration } from "@switchyard/client";

/** The operators of rules. */
export const operators = [">=", ">", "<=", "<"] as const;

/** A rule of a gate about a metric of a run. */
export interface Rule {
  readonly metric: string;
  readonly operator: (typeof operators)[number];
  readonly value: number;
}

/** The rule with which an empty form begins. */
export const firstRule: Rule = { metric: "aggregated.successRate", operator: ">=", value: 0.95 };

/** Returns a rule as in the address and on the command line, such as `aggregated.successRate >= 0.95`. */
export function toText({ metric, operator, value }: Rule): string {
  return `${metric} ${operator} ${value}`;
}

/** Parses a rule of an address; undefined if it is not one. */
export function parseRule(text: string): Rule | undefined {
  const [, metric, operator, value] = /^\s*(\S+)\s*(>=|>|<=|<)\s*(-?[\d.]+(?:e-?\d+)?)\s*$/.exec(text) ?? [];
  if (metric === undefined || operator === undefined || !Number.isFinite(Number(value))) return undefined;
  return { metric, operator: operator as Rule["operator"], value: Number(value) };
}

/** Returns the metrics that are proposed for a run. Every other number of its metrics and of its comparison is valid too. */
export function proposeMetrics(configuration: Configuration | null): string[] {
  const tables = new Map((configuration?.tables ?? []).map(({ id, slug }) => [id, slug]));
  const scored = (configuration?.columns ?? []).filter(({ excludedFromExtraction }) => !excludedFromExtraction);
  const slugs = scored.map(({ slug }) => slug);
  // A column whose slug is not unique follows its table.
  const names = scored.map(({ slug, tableId }) =>
    slugs.indexOf(slug) === slugs.lastIndexOf(slug) ? slug : `${tables.get(tableId)}.${slug}`,
  );
  return [
    "aggregated.successRate",
    "aggregated.ci95.low",
    "aggregated.f1",
    "aggregated.exactFileRate",
    "aggregated.anls",
    "aggregated.failedFiles",
    "latency.p95",
    "compare.successRate.delta",
    "compare.successRate.ci95.low",
    "compare.f1.delta",
    "compare.newlyFailingCount",
    ...names.flatMap((name) => [
      `byColumn.${name}.successRate`,
      `byColumn.${name}.f1`,
      `compare.byColumn.${name}.successRate.delta`,
    ]),
  ];
}
