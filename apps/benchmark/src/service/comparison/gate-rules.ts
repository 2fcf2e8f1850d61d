import { create } from "@bufbuild/protobuf";
import { ComparisonSchema, GateRuleResultSchema } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type {
  Comparison,
  GateExecutionRequest,
  GateRule,
  GateRuleResult,
  Metrics,
} from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { characterCount } from "@switchyard/text";
import type { Violation } from "@switchyard/text";
import { findMetric, isCompared } from "./metric-path.ts";

const maxRules = 100;
const maxMetricLength = 300;

const operators: ReadonlyMap<string, (actual: number, value: number) => boolean> = new Map([
  [">=", (actual, value) => actual >= value],
  [">", (actual, value) => actual > value],
  ["<=", (actual, value) => actual <= value],
  ["<", (actual, value) => actual < value],
]);

/** Returns the faults of rules that can be found without the metrics. */
export function validateRules({ rules, baseline }: Pick<GateExecutionRequest, "rules" | "baseline">): Violation[] {
  if (rules.length === 0) return [{ field: "rules", message: "is required" }];
  if (rules.length > maxRules) return [{ field: "rules", message: `must have at most ${maxRules} entries` }];
  return rules.flatMap(({ metric, operator, value }, index): Violation[] => {
    const field = (name: string): string => `rules[${index}].${name}`;
    return [
      ...(metric === "" ? [{ field: field("metric"), message: "is required" }] : []),
      ...(characterCount(metric) > maxMetricLength
        ? [{ field: field("metric"), message: `must have at most ${maxMetricLength} characters` }]
        : []),
      ...(isCompared(metric) && baseline === ""
        ? [{ field: "baseline", message: `is required for rules about compare.*, such as rules[${index}]` }]
        : []),
      ...(operator === "" ? [{ field: field("operator"), message: "is required" }] : []),
      ...(operator !== "" && !operators.has(operator)
        ? [{ field: field("operator"), message: `must be one of ${[...operators.keys()].join(", ")}` }]
        : []),
      ...(value === undefined || !Number.isFinite(value)
        ? [{ field: field("value"), message: value === undefined ? "is required" : "must be a finite number" }]
        : []),
    ];
  });
}

/** Returns the faults of rules about metrics that do not exist. Only the tables and columns of the metrics are considered. */
export function validateMetrics(rules: readonly GateRule[], metrics: Metrics): Violation[] {
  const byColumn = metrics.byColumn.map(({ table, slug }) => ({ table, slug }));
  const comparison = create(ComparisonSchema, { byColumn });
  return rules.flatMap(({ metric }, index) => {
    const found = findMetric(metric, metrics, comparison);
    if (!("unknown" in found)) return [];
    return [{ field: `rules[${index}].metric`, message: `${JSON.stringify(metric)} ${found.unknown}` }];
  });
}

/** Evaluates rules. A rule about a metric without data is not met, such as one about a column that the baseline does not score. */
export function evaluateRules(
  rules: readonly GateRule[],
  metrics: Metrics,
  comparison: Comparison | undefined,
): GateRuleResult[] {
  return rules.map(({ metric, operator, value = NaN }) => {
    const found = findMetric(metric, metrics, comparison);
    const actual = "value" in found ? found.value : null;
    const passed = actual !== null && (operators.get(operator)?.(actual, value) ?? false);
    return create(GateRuleResultSchema, { metric, operator, value, passed, ...(actual === null ? {} : { actual }) });
  });
}
