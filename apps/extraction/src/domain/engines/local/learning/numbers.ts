import type { Context } from "../../../context.ts";
import { printed, type Span } from "../../../layout/span.ts";

/** The document of a number, and the values of its numbers, the greatest first, without repetitions. */
interface NumberSurroundings {
  readonly context: Pick<Context, "layout">;
  readonly numbers: readonly number[];
}

/** Describes a number by its form, its rank among the numbers of the document, and whether it is a sum or a difference of others. */
export function describeNumber(value: number, span: Span, { numbers, context }: NumberSurroundings): string[] {
  const text = printed(span);
  const before = span.cell.text.slice(Math.max(0, span.start - 4), span.start);
  const row = context.layout.rows[span.cell.row];
  const features = [
    `rank:${Math.min(5, numbers.indexOf(value))}`,
    `decimals:${/[.,](\d+)$/u.exec(text)?.[1]?.length ?? 0}`,
    `sign:${Math.sign(value)}`,
    `currency:${/\p{Sc}|rm|eur|usd/iu.exec(before + text)?.[0].toLowerCase() ?? ""}`,
    `last-cell:${String(row?.cells.at(-1) === span.cell)}`,
    `magnitude:${Math.floor(Math.log10(Math.abs(value) + 1))}`,
    `cents:${Math.round(Math.abs(value) * 100) % 5}`,
  ];
  const own = toCents(value);
  const present = new Set(numbers.map(toCents));
  if (value > 0 && numbers.some((given) => given > value && present.has(toCents(given) - own) && given !== 2 * value))
    features.push("difference");
  if (value > 0 && numbers.some((part) => part > 0 && part < value && present.has(own - toCents(part))))
    features.push("sum-of-two");
  return features;
}

function toCents(value: number): number {
  return Math.round(value * 100);
}
