import type { Context } from "../../../context.ts";
import type { LabelHit } from "../../../labels.ts";
import type { Row } from "../../../layout/layout.ts";
import type { HeaderColumn } from "./header.ts";

/** What a line below a table's header is if it is not a row. */
export type LineKind = "carry" | "subtotal" | "total" | "section";

const SUBTOTALS = ["net", "lines"];
const TOTALS = [
  "gross",
  "tax",
  "due",
  "prepaid",
  "cash",
  "change",
  "rounding",
  "total-quantity",
  "closing-balance",
] as const;
/** Lines of these are not rows either if they come after a subtotal. */
const ADJUSTMENTS = [...TOTALS, ...SUBTOTALS, "tax-basis", "discount", "charges", "shipping", "tip", "carry"];

/** How lines begin that change a sum: "abzgl. 10 % Nachlass", "plus shipping". */
const CHANGE = /^\W{0,3}(?:abzgl|abzüglich|zzgl|zuzüglich|less|plus|minus|moins|dont|davon|hiervon)(?!\p{L})/iu;

/**
 * Returns what a line is that is not a row of a table: an amount that is carried between pages, a subtotal, a total, or the beginning of something
 * else. Undefined for all other lines. `hits` are the labels of the line by the concepts of documents, `more` those by other concepts.
 */
export function getLineKind(
  row: Row,
  hits: readonly LabelHit[],
  more: readonly LabelHit[],
  columns: readonly HeaderColumn[],
  context: Context,
): LineKind | undefined {
  if (isSum(row, hits, ["carry", "opening-balance"], context)) return "carry";
  if (isSum(row, hits, TOTALS, context)) return "total";
  if (isSum(row, hits, SUBTOTALS, context)) return "subtotal";
  return opensSection(row, [...hits, ...more], columns, context) ? "section" : undefined;
}

/** Whether a line begins with the label of a sum, an adjustment of sums or a carried amount, whatever follows. */
export function isAdjustment(row: Row, hits: readonly LabelHit[]): boolean {
  const first = row.cells.find((cell) => /\p{L}{2}/u.test(cell.text));
  if (first && CHANGE.test(first.text)) return true;
  return hits.some(
    (hit) => hit.cell === first && hit.start <= 8 && [...hit.meanings.keys()].some((key) => ADJUSTMENTS.includes(key)),
  );
}

/** Whether a row begins with the label of a sum and contains nothing but the sum. */
function isSum(row: Row, hits: readonly LabelHit[], roles: readonly string[], context: Context): boolean {
  const hasSum = row.cells.some((cell) => context.candidates("money", cell).some((money) => money.shape > 0.4));
  return hits.some((hit) => {
    if (![...hit.meanings.keys()].some((key) => roles.includes(key)) || hit.start > 0 || hit.prominence < 0.8)
      return false;
    const after = hit.cell.text
      .slice(hit.end)
      .replace(/\([^()]{0,40}\)/gu, "")
      .replace(/[^\p{L}]/gu, "");
    const alone =
      row.cells[0] === hit.cell || row.cells.slice(0, hit.cell.column).every((cell) => !/\d/u.test(cell.text));
    const limit = roles.includes("carry") ? 24 : 6;
    return alone && after.length <= limit && (hasSum || row.cells.length === 1);
  });
}

/**
 * Whether a row begins something else: a heading with a colon at the left edge of the table, or the header of another table, which consists
 * mostly of labels.
 */
function opensSection(
  row: Row,
  hits: readonly LabelHit[],
  columns: readonly HeaderColumn[],
  context: Context,
): boolean {
  const [first] = row.cells;
  if (!first || row.cells.some((cell) => context.numbers(cell).length > 0)) return false;
  const edge = Math.min(...columns.map((column) => column.from));
  if (row.cells.length === 1 && first.text.endsWith(":") && first.box && first.box.x0 < edge + 0.01) return true;
  if (row.cells.length < 2) return false;
  const covered = new Set<string>();
  for (const hit of hits) {
    for (let at = hit.start; at < hit.end; at += 1) covered.add(`${String(hit.cell.column)}:${String(at)}`);
  }
  const letters = row.cells.reduce((sum, cell) => sum + cell.text.replace(/\s/gu, "").length, 0);
  return hits.length >= 2 && covered.size > 0.6 * letters;
}
