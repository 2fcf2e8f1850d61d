import type { Candidate } from "../../../candidates/candidate.ts";
import type { Context } from "../../../context.ts";
import type { Scored } from "./scoring.ts";

/** Candidates for the sums that make up net + tax = gross. */
export interface Sums {
  readonly gross: readonly Scored[];
  readonly net: readonly Scored[];
  readonly tax: readonly Scored[];
}

const CENT = 0.011;
/** The scores that a consistent net, tax and gross sum gain: the best three together, and others. */
const BEST = 0.3;
const OTHER = 0.15;
/** The score of an amount without a label that completes net + tax = gross. */
const COMPLETING = 0.45;
/** What remains of the score of a sum that is not consistent with others, if three others clearly are. */
const OUTSIDE = 0.85;
/** The score that the other two need for that. */
const TRUSTED = 0.45;
/** No tax on a whole document is higher than this fraction of its net sum. */
const MAX_RATE = 0.35;
const SCANNED = 4_000;

/**
 * Adds printed amounts without a label that complete net + tax (+ a rounding) = gross with two labeled sums, and the amount due as a
 * candidate for the gross sum. If only the sign differs, as with a minus that was cut off, the amount is used with the sign that fits.
 */
export function completed(
  { gross, net, tax }: Sums,
  due: readonly Scored[],
  roundings: readonly number[],
  context: Context,
): Sums {
  const printed = getPrintedAmounts(context);
  const more = { gross: [...gross], net: [...net], tax: [...tax] };
  const trusted = (scored: readonly Scored[]): Scored[] =>
    scored.filter((each) => each.score >= TRUSTED && each.isPart !== true).slice(0, 4);
  const add = (to: Scored[], value: number): void => {
    const found = printed(value);
    if (found && !to.some((each) => Math.abs(Number(each.candidate.value) - value) < CENT / 2))
      to.push({ candidate: found, score: COMPLETING });
  };
  for (const one of trusted(net))
    for (const other of trusted(tax))
      if (isPlausible(one, other)) for (const rounding of roundings) add(more.gross, cents(sum(one, other) + rounding));
  for (const whole of trusted([...gross, ...due])) {
    for (const one of trusted(net)) {
      const rest = difference(whole, one);
      if (rest !== 0 && isRate(rest, Number(one.candidate.value))) add(more.tax, rest);
    }
    for (const one of trusted(tax)) {
      const rest = difference(whole, one);
      if (Number(one.candidate.value) !== 0 && isRate(Number(one.candidate.value), rest)) add(more.net, rest);
    }
  }
  for (const each of due)
    if (!more.gross.some(({ candidate }) => candidate.value === each.candidate.value))
      more.gross.push({ candidate: each.candidate, score: 0.5 * each.score });
  return more;
}

/** Increases the scores of sums that are consistent: net + tax (+ a rounding) = gross. The three with the highest scores gain most. */
export function rewarded({ gross, net, tax }: Sums, roundings: readonly number[]): Sums {
  const consistent = new Set<Scored>();
  let best: { members: readonly Scored[]; score: number } | undefined;
  const undivided = gross.filter(({ isPart }) => isPart !== true);
  for (const whole of undivided.length > 0 ? undivided : gross) {
    for (const one of net) {
      for (const other of tax) {
        const isWhole = roundings.some(
          (rounding) => Math.abs(sum(one, other) + rounding - Number(whole.candidate.value)) < CENT,
        );
        if (!isWhole || (!isPlausible(one, other) && Number(other.candidate.value) !== 0)) continue;
        const members = [whole, one, other];
        const isTrivial = Number(other.candidate.value) === 0;
        const score = whole.score + one.score + other.score - (isTrivial ? 0.3 : 0);
        for (const member of members) if (score > 0.9) consistent.add(member);
        if (!best || score > best.score) best = { members, score };
      }
    }
  }
  const isCertain = best !== undefined && best.score > 1.5 && Number(best.members[2]?.candidate.value) !== 0;
  const bonus = (scored: Scored): number =>
    best?.members.includes(scored) && best.score > 0.9 ? BEST : consistent.has(scored) ? OTHER : 0;
  const raise = (scored: readonly Scored[]): Scored[] =>
    scored.map((each) => {
      const gained = bonus(each);
      return {
        ...each,
        score: gained === 0 && isCertain ? OUTSIDE * each.score : each.score + gained,
      };
    });
  return { gross: raise(gross), net: raise(net), tax: raise(tax) };
}

function isPlausible(net: Scored, tax: Scored): boolean {
  return isRate(Number(tax.candidate.value), Number(net.candidate.value));
}

function isRate(tax: number, net: number): boolean {
  return net !== 0 && Math.abs(tax) <= MAX_RATE * Math.abs(net) + CENT && Math.sign(tax) * Math.sign(net) >= 0;
}

function sum(one: Scored, other: Scored): number {
  return cents(Number(one.candidate.value) + Number(other.candidate.value));
}

function difference(one: Scored, other: Scored): number {
  return cents(Number(one.candidate.value) - Number(other.candidate.value));
}

function cents(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Returns a function that finds the last printed amount with a value, or with its opposite, given the value it should have. */
export function getPrintedAmounts(context: Context): (value: number) => Candidate | undefined {
  return context.once("printed-amounts", () => createIndex(context));
}

function createIndex(context: Context): (value: number) => Candidate | undefined {
  const amounts = new Map<number, Candidate>();
  let scanned = 0;
  for (const cell of context.layout.cells) {
    scanned += 1;
    if (scanned > SCANNED) break;
    for (const number of context.numbers(cell)) {
      if (number.decimals !== 2 || number.percent || number.looksLikeCode) continue;
      const { spans, shape } = number;
      amounts.set(Math.round(Math.abs(number.value) * 100), { spans, value: number.value, shape });
    }
  }
  return (value) => {
    const found = amounts.get(Math.round(Math.abs(value) * 100));
    return found && { ...found, value };
  };
}
