import type { RiskCoveragePoint } from "@switchyard/client";
import { formatRate } from "../../../format/figures.ts";
import { texts } from "../../../texts/index.ts";
import { drawCurve, findMaxRisk } from "./points.ts";
import classes from "./quality.module.css";

const words = texts.quality;
const size = 240;
const margin = { left: 52, top: 10, bottom: 36, right: 24 };

/** The curve of risk over coverage, with a mark at the point that is looked at. The same points are in a table. */
export function RiskCurve({
  points,
  marked,
}: {
  points: readonly RiskCoveragePoint[];
  marked: RiskCoveragePoint | undefined;
}) {
  const maxRisk = findMaxRisk(points);
  const width = margin.left + size + margin.right;
  const height = margin.top + size + margin.bottom;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className={classes["curve"]} role="img" aria-label={words.curve}>
      <g transform={`translate(${margin.left} ${margin.top})`}>
        <line x1={0} y1={size} x2={size} y2={size} className={classes["axis"]} />
        <line x1={0} y1={0} x2={0} y2={size} className={classes["axis"]} />
        {[0, 0.5, 1].map((share) => (
          <text key={share} x={share * size} y={size + 15} textAnchor="middle" className={classes["label"]}>
            {formatRate(share)}
          </text>
        ))}
        {[0, 0.5, 1].map((share) => (
          <text key={share} x={-6} y={size - share * size + 4} textAnchor="end" className={classes["label"]}>
            {formatRate(share * maxRisk)}
          </text>
        ))}
        <text x={size / 2} y={size + 31} textAnchor="middle" className={classes["label"]}>
          {words.coverage}
        </text>
        <text transform={`translate(-40 ${size / 2}) rotate(-90)`} textAnchor="middle" className={classes["label"]}>
          {words.risk}
        </text>
        <polyline points={drawCurve(points, size, maxRisk)} className={classes["line"]} />
        {marked !== undefined && (
          <circle
            cx={marked.coverage * size}
            cy={size - (marked.risk / maxRisk) * size}
            r={6}
            className={classes["marker"]}
          />
        )}
      </g>
    </svg>
  );
}
