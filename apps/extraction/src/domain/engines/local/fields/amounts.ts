import type { Context } from "../../../context.ts";
import type { Cell } from "../../../layout/layout.ts";
import { completed, getPrintedAmounts, rewarded } from "./arithmetic.ts";
import { findLabeledCandidates } from "./association.ts";
import { findHits } from "./labeled.ts";
import type { LabelHit } from "../../../labels.ts";
import { MIN_SCORE } from "./scoring.ts";
import type { Scored } from "./scoring.ts";
import { added, findSummaries, type Summaries } from "./summaries.ts";

/** The sums of a document that are related by arithmetic. */
export type Sum = "gross" | "net" | "tax" | "due";

const ROLES = ["gross", "net", "tax", "due", "prepaid", "cash", "change", "rounding"] as const;
type Role = (typeof ROLES)[number];
const CONSIDERED = 10;
const CENT = 0.011;
/** This many cells with an amount to the cent show that the document prints its amounts that way. */
const CENTS_SHOWN = 5;
/** Words after which a label only says what a sum contains: "Total (incl. VAT)", "Rechnungssumme ohne USt." */
const QUALIFIER =
  /(?:\(|(?<!\p{L})(?:excl|exkl|ex|incl|inkl|inc|including|included|excluding|exclusive|inclusive|without|with|before|after|ohne|mit|inklusive|exklusive|hors|avec|sans)(?!\p{L}))[^)]*$/iu;

/** Labels of sums that contain only what is taxed at one rate: "Total 6 % supplies (incl. GST)", "Zero-rated sales". */
const ONE_RATE = /(?<!\p{L})(?:suppl(?:y|ies)|(?:standard|zero|exempt)[ -]?rated?)(?!\p{L})/iu;

/**
 * Finds candidates for the sums of a document by their labels, in tables of sums, and by arithmetic: net + tax = gross, cash - change =
 * gross, and gross - prepaid = due increase their scores, and a printed amount that completes net + tax = gross is a candidate without a
 * label. A gross sum that is later or in larger print scores slightly higher. The sums of single rates are added up if their sum is not
 * printed. Without a printed amount due, the gross sum is due, with less confidence. `extra` contains the labels of columns by sum.
 */
export function findSums(
  context: Context,
  extra: ReadonlyMap<Sum, readonly string[]>,
): ReadonlyMap<Sum, readonly Scored[]> {
  const found = new Map<Role, Scored[]>();
  const summaries = context.once("summaries", () => findSummaries(context));
  const bases = findHits(context, ["tax-basis"]).map(({ hit }) => hit.cell);
  for (const role of ROLES) {
    const keys = [role, ...(extra.get(role as Sum) ?? [])];
    const scored = labeledSums(context, keys, summaries).map((each) =>
      role === "gross" ? emphasised(each, context, bases) : each,
    );
    const more = role === "tax" ? taxesOfRates(context, keys) : [];
    found.set(role, strongest([...scored, ...(summaries.totals.get(role) ?? []), ...more]));
  }
  const rounded = roundedSums(context, found.get("gross") ?? []);
  found.set("gross", strongest([...(found.get("gross") ?? []), ...rounded.map(({ scored }) => scored)]));
  const of = (role: Role): readonly Scored[] => found.get(role) ?? [];
  const roundings = [
    0,
    ...rounded.map(({ rounding }) => rounding),
    ...of("rounding").flatMap((each) => [Number(each.candidate.value), -Number(each.candidate.value)]),
  ].filter((value) => Math.abs(value) < 1);
  const totals = values(of("gross"));
  const gross = of("gross").map(({ candidate, score, ...rest }) => {
    const value = Number(candidate.value);
    let bonus = 0;
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
    return { ...rest, candidate, score: value === 0 ? score * 0.5 : score + bonus };
  });
  if (!gross.some(({ score }) => score >= MIN_SCORE))
    gross.push(...paidSums(context, of("cash"), of("change"), of("net")));
  const joint = rewarded(
    completed({ gross, net: of("net"), tax: of("tax") }, of("due"), roundings, context),
    roundings,
  );
  const prepaid = values(of("prepaid")).map(Math.abs);
  const due = of("due").map(({ candidate, score }) => {
    const value = Number(candidate.value);
    const fits = totals.some((total) => prepaid.some((paid) => paid > 0 && Math.abs(total - paid - value) < CENT));
    return { candidate, score: score + (fits ? 0.2 : totals.includes(value) ? 0.1 : 0) };
  });
  const inferred = due.some((each) => each.score > 0.5)
    ? []
    : joint.gross.map(({ candidate, score }) => ({ candidate, score: score * 0.6 }));
  return new Map<Sum, readonly Scored[]>([
    [
      "gross",
      joint.gross.length > 0 ? joint.gross : due.map(({ candidate, score }) => ({ candidate, score: score * 0.7 })),
    ],
    ["net", joint.net],
    ["tax", joint.tax],
    ["due", [...due, ...inferred]],
  ]);
}

/** Finds amounts for a gross sum without a label: what was paid less the change, or a net sum that was paid. */
function paidSums(
  context: Context,
  cash: readonly Scored[],
  change: readonly Scored[],
  net: readonly Scored[],
): Scored[] {
  const printed = getPrintedAmounts(context);
  const toValue = ({ candidate }: Scored): number => Number(candidate.value);
  const kept = cash.flatMap((paid) =>
    change.flatMap((back) => {
      const candidate = toValue(back) === 0 ? undefined : printed(toValue(paid) - Math.abs(toValue(back)));
      return candidate === undefined ? [] : [{ candidate, score: 0.5 }];
    }),
  );
  const paid = net.filter((each) => cash.some((given) => Math.abs(toValue(given) - toValue(each)) < CENT));
  return strongest([...kept, ...paid.map((each) => ({ ...each, score: 0.7 * each.score }))]);
}

/** Finds printed amounts that are gross sums rounded to five cents, in documents that mention rounding. */
function roundedSums(context: Context, gross: readonly Scored[]): { scored: Scored; rounding: number }[] {
  if (findHits(context, ["rounding"]).length === 0) return [];
  const printed = getPrintedAmounts(context);
  return gross.flatMap((each) => {
    const value = Number(each.candidate.value);
    const rounded = Math.round(value * 20) / 20;
    const candidate = isRound(value) ? undefined : printed(rounded);
    return candidate === undefined ? [] : [{ scored: { ...each, candidate }, rounding: rounded - value }];
  });
}

/** Finds the amounts to which labels point, except for labels that only qualify another one. Sums of single rates score half. */
function labeledSums(context: Context, keys: readonly string[], summaries: Summaries): Scored[] {
  const found = findHits(context, keys).flatMap(({ hit, weight }) => {
    if (isQualifier(hit, context)) return [];
    const isPart = ONE_RATE.test(hit.cell.text);
    return findLabeledCandidates(hit, "money", context).map(({ candidate, proximity }) => {
      const factor = isPart || summaries.partial.has(candidate.spans[0].cell) ? 0.5 : 1;
      return { candidate, isPart, score: factor * weight * hit.prominence * proximity * (0.4 + 0.6 * candidate.shape) };
    });
  });
  return context.once("prints cents", () => printsCents(context)) ? preferCents(found) : found;
}

function printsCents({ layout }: Context): boolean {
  return layout.cells.filter(({ text }) => /\d[.,]\d{2}(?![.,]?\d)/u.test(text)).length >= CENTS_SHOWN;
}

/** Lowers the scores of numbers without cents and currency beside amounts with them: they may be a count, or written over the sum by hand. */
function preferCents(found: readonly Scored[]): Scored[] {
  const hasAmount = found.some(({ candidate, score }) => candidate.shape === 1 && score >= MIN_SCORE);
  return found.map((each) => (hasAmount && each.candidate.shape < 0.5 ? { ...each, score: 0.75 * each.score } : each));
}

function isQualifier(hit: LabelHit, context: Context): boolean {
  const others = (context.hits[hit.cell.row] ?? []).filter(
    (other) => other.cell === hit.cell && other.end <= hit.start,
  );
  const named = others.some((other) => ROLES.some((role) => other.meanings.has(role)));
  return named && QUALIFIER.test(hit.cell.text.slice(0, hit.start));
}

/** Adds up taxes that are printed one rate a line, on adjacent lines: "VAT 7 % ... 9.06", "VAT 19 % ... 12.25". */
function taxesOfRates(context: Context, keys: readonly string[]): Scored[] {
  const lines = new Map<number, Scored>();
  for (const { hit, weight } of findHits(context, keys)) {
    const row = context.layout.rows[hit.cell.row];
    const rate = row?.cells.some((cell) => /\d\s?%/u.test(cell.text));
    const amounts = (row?.cells ?? [])
      .flatMap((cell) => context.candidates("money", cell))
      .filter((each) => each.shape > 0.6);
    const amount = amounts.at(-1);
    if (rate && amount && hit.start < 12)
      lines.set(hit.cell.row, { candidate: amount, score: weight * hit.prominence });
  }
  const groups: { last: number; parts: Scored[] }[] = [];
  for (const [row, part] of [...lines].sort(([one], [other]) => one - other)) {
    const group = groups.at(-1);
    if (group && row - group.last <= 2) {
      group.parts.push(part);
      group.last = row;
    } else groups.push({ last: row, parts: [part] });
  }
  return groups.flatMap(({ parts }) => {
    const total = added(parts.map((part) => part.candidate));
    return total ? [{ candidate: total, score: 0.55 * Math.min(...parts.map((part) => part.score)) }] : [];
  });
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
  return { ...scored, score: (summary ? 0.75 : 1) * (scored.score + 0.06 * later + larger) };
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
