import type { Context } from "../context.ts";
import { findHits, labelled } from "./labelled.ts";
import type { Cell } from "../layout/layout.ts";
import type { Scored } from "./scoring.ts";

/** The sums of a document that are related by arithmetic. */
export type Sum = "gross" | "net" | "tax" | "due";

const ROLES = ["gross", "net", "tax", "due", "prepaid", "cash", "change", "rounding"] as const;
type Role = (typeof ROLES)[number];
const CONSIDERED = 8;
const CENT = 0.011;

/**
 * Finds candidates for the sums of a document by their labels. Arithmetic increases their scores: by 0.2 if net + tax = gross, by 0.25 if
 * cash - change = gross, and by 0.2 if gross - prepaid = due. A gross sum that is later or in larger print scores slightly higher. Without
 * a printed amount due, the gross sum is due, with less confidence. `extra` contains the labels of columns by sum.
 */
export function findSums(
  context: Context,
  extra: ReadonlyMap<Sum, readonly string[]>,
): ReadonlyMap<Sum, readonly Scored[]> {
  const found = new Map<Role, Scored[]>();
  const summaries = findHits(context, ["tax-basis"]).map(({ hit }) => hit.cell);
  for (const role of ROLES) {
    const keys = [role, ...(extra.get(role as Sum) ?? [])];
    const scored = labelled(context, keys, "money").map((each) =>
      role === "gross" ? emphasised(each, context, summaries) : each,
    );
    found.set(role, strongest(scored));
  }
  const of = (role: Role): readonly Scored[] => found.get(role) ?? [];
  const roundings = [
    0,
    ...of("rounding").flatMap((each) => [Number(each.candidate.value), -Number(each.candidate.value)]),
  ].filter((value) => Math.abs(value) < 1);
  const isConsistent = (gross: number, net: number, tax: number): boolean =>
    roundings.some((rounding) => Math.abs(net + tax + rounding - gross) < CENT) && (tax !== 0 || net === gross);
  const nets = values(of("net"));
  const taxes = values(of("tax"));
  const totals = values(of("gross"));
  const gross = of("gross").map(({ candidate, score }) => {
    const value = Number(candidate.value);
    let bonus = 0;
    if (nets.some((net) => taxes.some((tax) => isConsistent(value, net, tax)))) bonus += 0.2;
    if (
      values(of("cash")).some(
        (cash) => cash > 0 && values(of("change")).some((change) => Math.abs(cash - Math.abs(change) - value) < CENT),
      )
    )
      bonus += 0.25;
    else if (value > 0 && values(of("cash")).some((cash) => Math.abs(cash - value) < CENT)) bonus += 0.1;
    if (values(of("due")).some((due) => Math.abs(due - value) < CENT)) bonus += 0.05;
    // The rounded sum takes precedence over the sum before rounding.
    if (
      roundings.some(
        (rounding) =>
          rounding !== 0 &&
          totals.some((total) => total !== value && Math.abs(total + rounding - value) < CENT / 2) &&
          isRound(value),
      )
    )
      bonus += 0.15;
    return { candidate, score: value === 0 ? score * 0.5 : score + bonus };
  });
  const net = of("net").map(({ candidate, score }) => {
    const value = Number(candidate.value);
    const fits = totals.some((total) => taxes.some((tax) => isConsistent(total, value, tax)));
    return { candidate, score: score + (fits ? 0.2 : 0) };
  });
  const tax = of("tax").map(({ candidate, score }) => {
    const value = Number(candidate.value);
    const fits = totals.some((total) => nets.some((each) => isConsistent(total, each, value)));
    return { candidate, score: score + (fits ? 0.25 : 0) };
  });
  const prepaid = values(of("prepaid")).map(Math.abs);
  const due = of("due").map(({ candidate, score }) => {
    const value = Number(candidate.value);
    const fits = totals.some((total) => prepaid.some((paid) => paid > 0 && Math.abs(total - paid - value) < CENT));
    return { candidate, score: score + (fits ? 0.2 : totals.includes(value) ? 0.1 : 0) };
  });
  const inferred = due.some((each) => each.score > 0.5)
    ? []
    : gross.map(({ candidate, score }) => ({ candidate, score: score * 0.6 }));
  return new Map<Sum, readonly Scored[]>([
    ["gross", gross.length > 0 ? gross : due.map(({ candidate, score }) => ({ candidate, score: score * 0.7 }))],
    ["net", net],
    ["tax", tax],
    ["due", [...due, ...inferred]],
  ]);
}

function emphasised(scored: Scored, context: Context, summaries: readonly Cell[]): Scored {
  const { cell } = scored.candidate.spans[0];
  const later = cell.row / Math.max(1, context.layout.rows.length);
  const summary = summaries.some((label) => {
    const distance = cell.row - label.row;
    return distance >= 0 && distance < 7 && label.page === cell.page && label.row > 0.4 * context.layout.rows.length;
  });
  const height = cell.box ? cell.box.y1 - cell.box.y0 : 0;
  const larger = height > 1.25 * context.layout.height && context.layout.height > 0 ? 0.05 : 0;
  return { candidate: scored.candidate, score: (summary ? 0.75 : 1) * (scored.score + 0.06 * later + larger) };
}

/** Whether an amount of money is a multiple of five cents. */
function isRound(value: number): boolean {
  return Math.abs(value * 20 - Math.round(value * 20)) < 1e-6;
}

/** Returns the strongest candidates, with only the strongest for each value. */
function strongest(scored: readonly Scored[]): Scored[] {
  const best = new Map<string | number, Scored>();
  for (const each of scored) {
    const known = best.get(each.candidate.value);
    if (!known || each.score > known.score) best.set(each.candidate.value, each);
  }
  return [...best.values()].sort((one, other) => other.score - one.score).slice(0, CONSIDERED);
}

function values(scored: readonly Scored[]): number[] {
  return scored.filter((each) => each.score > 0.2).map((each) => Number(each.candidate.value));
}
