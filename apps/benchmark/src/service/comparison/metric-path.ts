import { ScalarType } from "@bufbuild/protobuf";
import type { DescMessage } from "@bufbuild/protobuf";
import {
  ComparedMetricsSchema,
  ComparisonSchema,
  MetricsSchema,
} from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Comparison, Metrics } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";

/** The value of a metric, null if there is no data for it; or why there is no such metric. */
export type Found = { readonly value: number | null } | { readonly unknown: string };

/** The first word of metrics of a comparison. */
const comparePrefix = "compare";
const numbers: ReadonlySet<ScalarType> = new Set([ScalarType.DOUBLE, ScalarType.INT32]);

/** Whether a metric is one of a comparison. */
export function isCompared(metric: string): boolean {
  return metric.split(".")[0] === comparePrefix;
}

/**
 * Finds a metric by its path, such as `aggregated.successRate`, `byColumn.total.f1` or `compare.successRate.delta`: the REST names of
 * fields, and slugs of tables and columns. A column follows its table if several tables have one with its slug. Every number of the
 * messages is a metric.
 */
export function findMetric(metric: string, metrics: Metrics, comparison: Comparison | undefined): Found {
  const words = metric.split(".");
  if (!isCompared(metric)) return find(MetricsSchema, metrics, words);
  const rest = words.slice(1);
  const aggregated = find(ComparedMetricsSchema, comparison?.aggregated, rest);
  return "value" in aggregated ? aggregated : find(ComparisonSchema, comparison, rest);
}

type Message = Readonly<Record<string, unknown>>;

function find(schema: DescMessage, message: object | undefined, [word = "", ...rest]: readonly string[]): Found {
  const field = schema.fields.find(({ jsonName }) => jsonName === word);
  const value = (message as Message | undefined)?.[field?.localName ?? ""];
  if (field?.fieldKind === "message") return find(field.message, value as Message | undefined, rest);
  if (field?.fieldKind === "list" && field.listKind === "message") {
    return findElement(field.message, (value ?? []) as readonly Message[], rest);
  }
  if (field?.fieldKind !== "scalar" || !numbers.has(field.scalar) || rest.length > 0) return unknown;
  return { value: typeof value === "number" ? value : null };
}

function findElement(schema: DescMessage, elements: readonly Message[], [slug, ...rest]: readonly string[]): Found {
  const own = elements.filter((element) => element["slug"] === slug);
  const [first] = own;
  const found = own.length === 1 && first !== undefined ? find(schema, first, rest) : unknown;
  if ("value" in found) return found;
  const [column, ...more] = rest;
  const ofTable = elements.find((element) => element["table"] === slug && element["slug"] === column);
  if (ofTable !== undefined) return find(schema, ofTable, more);
  return own.length > 1 ? { unknown: "names a column that several tables have; name the table before it" } : unknown;
}

const unknown = { unknown: "is no metric" } as const;
