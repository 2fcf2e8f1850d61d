import type { Table } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ContradictionCode, type Contradiction } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Context } from "../../../context.ts";
import type { Field } from "../../../concepts.ts";
import { contradiction, isEqual, printed, subsetSums } from "../../../contradictions.ts";
import { findSums } from "../fields/amounts.ts";
import { labeled } from "../fields/labeled.ts";
import { choose } from "../fields/scoring.ts";
import type { Row } from "../../../layout/layout.ts";
import { positionIn, type Item } from "./items.ts";

/** Rounding each row may move their sum by up to half a cent a row, and totals are rounded to five cents. */
const tolerance = (rows: number): number => 0.051 + Math.min(0.05, 0.005 * rows);
/** Positions and balances are only checked if they fit in this proportion of the rows. */
const USUAL = 0.6;

/**
 * Finds what speaks against the rows of a table: amounts that do not add up to the total of the document or to its closing balance, gaps in
 * their numbers, balances that do not follow from the amounts, and lines that look like rows but were not taken.
 */
export function findRowContradictions(
  table: Table,
  fields: readonly Field[],
  items: readonly Item[],
  leftOut: readonly Row[],
  places: ReadonlyMap<string, string>,
  context: Context,
): Contradiction[] {
  const amount = fields.find((field) => field.concept?.id === "line-amount");
  const column = (field: Field): string => `${table.slug}.${field.column.slug}`;
  const all = fields.map(column);
  const found: Contradiction[] = [];
  const sum = amount && checkSum(items, context);
  if (sum)
    found.push(
      contradiction(
        ContradictionCode.ROW_SUM_MISMATCH,
        items.length === 0
          ? `no rows were found, but the document prints ${printed(sum.target)} as their sum`
          : `the amounts of the rows add up to ${printed(sum.rows)}, but the document prints ${printed(sum.target)}`,
        [column(amount), ...(places.get(sum.concept) === undefined ? [] : [places.get(sum.concept) as string])],
      ),
    );
  const gap = checkNumbers(items);
  if (gap)
    found.push(
      contradiction(
        ContradictionCode.ROW_NUMBER_GAP,
        `the row ${String(gap.next)} follows the row ${String(gap.before)}`,
        all,
      ),
    );
  const balance = checkBalances(items);
  if (balance !== undefined)
    found.push(
      contradiction(
        ContradictionCode.BALANCE_MISMATCH,
        `the balance of ${printed(balance)} does not follow from the rows before it`,
        all,
      ),
    );
  const [left] = leftOut;
  if (left)
    found.push(
      contradiction(
        ContradictionCode.LINE_LEFT_OUT,
        `a line on page ${String(left.page)} looks like a row: ${left.cells
          .map((cell) => cell.text)
          .join(" ")
          .slice(0, 120)}`,
        all,
      ),
    );
  return found;
}

/** Returns the sum that the rows should have, and their sum, if they differ. */
function checkSum(
  items: readonly Item[],
  context: Context,
): { rows: number; target: number; concept: string } | undefined {
  const amounts = items.flatMap((item) => changeOf(item) ?? []);
  if (items.length > 0 && amounts.length === 0) return undefined;
  const rows = amounts.reduce((sum, amount) => sum + amount, 0);
  const isRows = (target: number, difference: readonly number[]): boolean =>
    difference.some((each) => isEqual(rows + each, target, tolerance(items.length)));
  const [opening] = amountsOf(context, "opening-balance");
  const closing = amountsOf(context, "closing-balance").at(-1);
  if (closing !== undefined && opening !== undefined) {
    const isMoved = isRows(closing, [opening]) || isEqual(opening - rows, closing, tolerance(items.length));
    return isMoved ? undefined : { rows, target: closing - opening, concept: "closing-balance" };
  }
  const sums = context.once("sums", () => findSums(context, new Map()));
  const inside = new Set(items.flatMap(({ line }) => line.cells[0]?.row ?? []));
  const valueOf = (concept: "gross" | "net" | "tax"): number | undefined => {
    const found = (sums.get(concept) ?? []).filter(({ candidate }) => !inside.has(candidate.spans[0].cell.row));
    const value = choose(found)?.candidate.value;
    return typeof value === "number" ? value : undefined;
  };
  const gross = valueOf("gross");
  const net = valueOf("net");
  const tax = valueOf("tax");
  const target = gross ?? net ?? amountsOf(context, "lines").at(-1);
  if (target === undefined || (items.length === 0 && target === 0)) return undefined;
  const more = ["charges", "shipping", "tip", "rounding"].flatMap((concept) => amountsOf(context, concept).slice(-3));
  const less = amountsOf(context, "discount")
    .slice(-4)
    .map((amount) => -Math.abs(amount));
  const adjustments = subsetSums([...new Set([...more, ...less])].filter((amount) => amount !== 0));
  const differences = tax === undefined ? adjustments : [...adjustments, ...adjustments.map((each) => each + tax)];
  if (isRows(target, differences)) return undefined;
  return { rows, target: net ?? target, concept: net === undefined ? "gross" : "net" };
}

/** Returns the different amounts with labels of a concept, in the order of the document. */
function amountsOf(context: Context, concept: string): number[] {
  const found = labeled(context, [concept], "money").filter(
    ({ score, candidate }) => score > 0.45 && candidate.shape > 0.6,
  );
  return [...new Set(found.map(({ candidate }) => Number(candidate.value)))];
}

/** Returns the first gap in the numbers of the rows, if they usually count up by the same step. */
function checkNumbers(items: readonly Item[]): { before: number; next: number } | undefined {
  const numbers = items.flatMap((item) => numberOf(item) ?? []);
  if (numbers.length < 2 || numbers.length < USUAL * items.length) return undefined;
  const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0));
  const step = mostFrequent(steps.filter((each) => each > 0));
  if (step === undefined || steps.filter((each) => each === step).length < USUAL * steps.length) return undefined;
  const [first = 0] = numbers;
  if (first > step && first <= 20 * step && first % step === 0) return { before: 0, next: first };
  const at = steps.findIndex((each, place) => each !== step && numbers[place + 1] !== step && each > 0);
  return at < 0 ? undefined : { before: numbers[at] ?? 0, next: numbers[at + 1] ?? 0 };
}

/** Returns the first balance that does not follow from the one before it, if most of them do. */
function checkBalances(items: readonly Item[]): number | undefined {
  const moves = items.flatMap((item) => {
    const balance = valueOf(item, "line-balance");
    const change = changeOf(item);
    return balance === undefined || change === undefined ? [] : [{ balance, change }];
  });
  const pairs = moves.slice(1).map((move, at) => ({ ...move, before: moves[at]?.balance ?? 0 }));
  if (pairs.length < 2) return undefined;
  const fits = ({ before, balance, change }: (typeof pairs)[number]): boolean =>
    isEqual(before + change, balance) || isEqual(before - change, balance);
  const wrong = pairs.filter((pair) => !fits(pair));
  return wrong.length > (1 - USUAL) * pairs.length ? undefined : wrong[0]?.balance;
}

/** Returns what a row adds: its amount, or its credit without its debit. */
function changeOf(item: Item): number | undefined {
  const amount = valueOf(item, "line-amount");
  if (amount !== undefined) return amount;
  const debit = valueOf(item, "line-debit");
  const credit = valueOf(item, "line-credit");
  return debit === undefined && credit === undefined ? undefined : Math.abs(credit ?? 0) - Math.abs(debit ?? 0);
}

function valueOf(item: Item, concept: string): number | undefined {
  return [...item.numbers].find(([field]) => field.concept?.id === concept)?.[1].value ?? item.others.get(concept);
}

function numberOf(item: Item): number | undefined {
  const [span] = [...item.pieces].find(([field]) => field.concept?.id === "line-number")?.[1] ?? [];
  return span ? positionIn(span) : valueOf(item, "line-number");
}

function mostFrequent(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1] || one[0] - other[0])[0]?.[0];
}
