/** Compares extracted values with accepted ones, and prints how well they agree. */
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { isEqualValue } from "@switchyard/matching";
import type { ExtractedRow } from "@switchyard/contracts/switchyard/extraction/v1/extraction";

/** A value that the engine extracted, beside the accepted one. */
export interface Cell {
  column: string;
  expected: string | null;
  actual: string | null;
  exact: boolean;
  typed: boolean;
  /** Whether it counts as the accepted value in a benchmark, without a tolerance. */
  unchanged: boolean;
  confidence: number;
}

/** Returns the value of a column, or null if the row has none. */
export function getScalar(row: ExtractedRow | undefined, slug: string): string | number | null {
  const kind = row?.values[slug]?.kind;
  return kind?.case === "stringValue" || kind?.case === "numberValue" ? kind.value : null;
}

const letters = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\d]/gu, "");
/** Returns an accepted value without surrounding white space; null if nothing remains. */
export const clean = (value: string | undefined): string | null => (value?.trim() ? value.trim() : null);

/** Returns the number in an amount that is written as text. */
const toNumber = (text: string): number => Number(text.replace(/[^\d.-]/gu, ""));

/** Compares the value of a column with the accepted one. */
export function toCell(
  row: ExtractedRow | undefined,
  column: string,
  expected: string | null,
  printed: boolean,
  typedAs: "number" | "amount" | "text" | "date",
): Cell {
  const value = getScalar(row, column);
  // Labels of sets that are marked as printed are compared with the quote, and with the value.
  const actual =
    value === null
      ? null
      : printed
        ? (row?.evidence[column]?.quote ?? String(value)).replaceAll("\n", " ")
        : String(value);
  const typed =
    value !== null &&
    expected !== null &&
    (typedAs === "amount"
      ? toNumber(String(value)) === toNumber(expected)
      : typedAs === "number"
        ? Math.abs(Number(value) - Number(expected.replace(/[^\d.-]/gu, ""))) < 0.005
        : typedAs === "date"
          ? letters(actual ?? "") === letters(expected) || letters(String(value)) === letters(expected)
          : letters(String(value)) === letters(expected));
  const unchanged =
    typedAs === "text" && typeof value === "string" && expected !== null
      ? isEqualValue({ type: ColumnType.TEXT }, expected, value)
      : typed;
  const confidence = row?.confidence[column] ?? 0;
  return { column, expected, actual, exact: actual === expected, typed, unchanged, confidence };
}

function score(
  cells: readonly Cell[],
  right: (cell: Cell) => boolean,
): { precision: number; recall: number; f1: number } {
  const given = cells.filter((cell) => cell.actual !== null).length;
  const wanted = cells.filter((cell) => cell.expected !== null).length;
  const hits = cells.filter((cell) => cell.actual !== null && cell.expected !== null && right(cell)).length;
  return {
    precision: hits / Math.max(1, given),
    recall: hits / Math.max(1, wanted),
    f1: (2 * hits) / Math.max(1, given + wanted),
  };
}

function calibrationError(cells: readonly Cell[]): number {
  const given = cells.filter((cell) => cell.actual !== null);
  let error = 0;
  for (let bin = 0; bin < 10; bin += 1) {
    const inside = given.filter((cell) => Math.min(9, Math.floor(cell.confidence * 10)) === bin);
    const confidence = inside.reduce((sum, cell) => sum + cell.confidence, 0);
    error += Math.abs(confidence - inside.filter((cell) => cell.unchanged).length);
  }
  return error / Math.max(1, given.length);
}

/** Prints the figures of each column and of all of them. */
export function report(title: string, cells: readonly Cell[]): void {
  const line = (name: string, some: readonly Cell[]): string => {
    const exact = score(some, (cell) => cell.exact);
    const typed = score(some, (cell) => cell.typed);
    const figures = [exact.f1, typed.precision, typed.recall, typed.f1].map((figure) => figure.toFixed(3));
    return `  ${name.padEnd(10)} exact F1 ${figures[0]}  typed P ${figures[1]} R ${figures[2]} F1 ${figures[3]}`;
  };
  console.log(title);
  for (const column of new Set(cells.map((cell) => cell.column)))
    console.log(
      line(
        column,
        cells.filter((cell) => cell.column === column),
      ),
    );
  console.log(`${line("all", cells)}  calibration error ${calibrationError(cells).toFixed(3)}`);
}

/** Tells whether a number is the accepted one, up to half a cent. */
export function isNear(actual: string | number | null, expected: string | undefined): boolean {
  return actual !== null && expected !== undefined && Math.abs(Number(actual) - Number(expected)) < 0.005;
}

/** Prints a wrong value if SHOW_ERRORS is set; to a column's slug for the errors of that column only. */
export function show(id: string, cell: Cell): void {
  const wanted = process.env["SHOW_ERRORS"];
  if (wanted === undefined || (wanted !== "" && wanted !== cell.column) || cell.typed || cell.expected === cell.actual)
    return;
  console.log(
    `${id} ${cell.column}: expected ${JSON.stringify(cell.expected)}, got ${JSON.stringify(cell.actual)} (${cell.confidence.toFixed(2)})`,
  );
}
