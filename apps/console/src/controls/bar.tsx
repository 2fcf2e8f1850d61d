import type { Range } from "../format/figures.ts";

const width = 140;
const height = 14;

/** A share as a bar, with its confidence interval as a line. It only repeats the number beside it, so screen readers skip it. */
export function RateBar({
  rate,
  interval,
  size = "normal",
}: {
  rate: number;
  interval?: Range | null | undefined;
  size?: "normal" | "small";
}) {
  const shrunk = size === "small" ? { width: 80, height: 4, preserveAspectRatio: "none", display: "block" } : {};
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" {...shrunk}>
      <rect width={width} height={height} rx={2} fill="var(--mantine-color-default-border)" />
      <rect width={width * rate} height={height} rx={2} fill="var(--mantine-color-indigo-5)" />
      {interval ? <Whisker from={interval.low * width} to={interval.high * width} /> : null}
    </svg>
  );
}

/** A difference of shares with its confidence interval, around the line of no difference. `scale` is the difference at the edges. */
export function DifferenceBar({
  delta,
  interval,
  scale,
}: {
  delta: number;
  interval?: Range | null | undefined;
  scale: number;
}) {
  const place = (value: number): number => width / 2 + (Math.max(-scale, Math.min(scale, value)) / scale) * (width / 2);
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <rect width={width} height={height} rx={2} fill="var(--mantine-color-default-border)" />
      <rect
        x={Math.min(place(0), place(delta))}
        width={Math.abs(place(delta) - place(0))}
        height={height}
        fill={delta < 0 ? "var(--mantine-color-red-6)" : "var(--mantine-color-green-6)"}
      />
      {interval ? <Whisker from={place(interval.low)} to={place(interval.high)} /> : null}
      <rect x={width / 2 - 0.5} width={1} height={height} fill="var(--mantine-color-text)" />
    </svg>
  );
}

function Whisker({ from, to }: { from: number; to: number }) {
  return (
    <g stroke="var(--mantine-color-text)" strokeWidth={1.5}>
      <line x1={from} x2={to} y1={height / 2} y2={height / 2} />
      <line x1={from} x2={from} y1={3} y2={height - 3} />
      <line x1={to} x2={to} y1={3} y2={height - 3} />
    </g>
  );
}
