import { texts } from "../texts/index.ts";

/** A range of numbers, such as a confidence interval. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Formats a share from 0 to 1 as a percentage with one decimal. The number and its sign stay on one line. */
export function formatRate(rate: number | null | undefined): string {
  return rate === null || rate === undefined ? texts.none : `${(rate * 100).toFixed(1)}\u00a0%`;
}

/** Formats an interval of shares. */
export function formatInterval(interval: Range | null | undefined): string {
  return interval === null || interval === undefined
    ? texts.none
    : texts.figures.range(formatRate(interval.low), formatRate(interval.high));
}

/** Formats a difference of shares in points, with its sign. */
export function formatPoints(delta: number | null | undefined): string {
  if (delta === null || delta === undefined) return texts.none;
  const points = (delta * 100).toFixed(1);
  // No sign before a difference that is shown as zero.
  if (Number(points) === 0) return "0.0";
  return delta > 0 ? `+${points}` : points.replace("-", "−");
}

/** Formats the interval of a difference in points. */
export function formatPointsInterval(interval: Range | null | undefined): string {
  return interval === null || interval === undefined
    ? texts.none
    : texts.figures.range(formatPoints(interval.low), formatPoints(interval.high));
}

/** Formats a p value; tiny ones as below a bound. */
export function formatPValue(pValue: number | null | undefined): string {
  if (pValue === null || pValue === undefined) return texts.none;
  return pValue < 0.001 ? "< 0.001" : pValue.toFixed(3);
}

/** Formats a duration in milliseconds with the unit that fits. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return texts.none;
  // The unit is that of the rounded number: 59.96 s are a minute.
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a number of bytes with the unit that fits. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1_000).toFixed(1)} kB`;
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** Formats a number with separators of thousands. */
export function formatCount(count: number): string {
  return count.toLocaleString("en");
}

/** Formats a value of a document. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return texts.none;
  return typeof value === "string" ? value : JSON.stringify(value);
}
