/** The order of day and month in dates that consist of numbers. */
export type DayOrder = "day-first" | "month-first";

/** A date in a text, with its position. */
export interface FoundDate {
  readonly start: number;
  readonly end: number;
  /** The date as "YYYY-MM-DD". */
  readonly value: string;
  /** How clearly it is a date, from 0 to 1. */
  readonly shape: number;
}

const MONTHS: readonly string[] = [
  "january|january|jan|januar|jänner|janvier|janv",
  "february|feb|februar|février|fevrier|févr|fevr|fév",
  "march|mar|märz|maerz|marz|mrz|mär|mars",
  "april|apr|avril|avr",
  "may|mai",
  "june|jun|juni|juin",
  "july|jul|juli|juillet|juil",
  "august|aug|août|aout",
  "september|sept|sep|septembre",
  "october|oct|oktober|okt|octobre",
  "november|nov|novembre",
  "december|dec|dezember|dez|décembre|decembre|déc",
];
const MONTH = `(${MONTHS.join("|")
  .split("|")
  .sort((one, other) => other.length - one.length)
  .join("|")})`;
/** Digits with marks before and after them are a longer number, unless the mark is the hyphen of a range: "01.02.2024-29.02.2024". */
const NUMERIC =
  /(?<![\d.,/]|(?<!\d[./]\d{1,2}[./]\d{2,4})-)(\d{1,4}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d{4}|\d{2})(?!\d|[./]\d|-\d(?!\d?[./]\d{1,2}[./]\d{2}))/gu;
const DAY_MONTH = new RegExp(
  `(?<![\\d.,])(\\d{1,2})(?:st|nd|rd|th|er|ter)?\\.?[\\s,/-]{0,3}(?:day of |of |de )?\\s?${MONTH}(?!\\p{L})\\.?[\\s,/-]{0,3}(?:of )?['’]?(\\d{4}|\\d{2})(?![\\d:]|[.,]\\d)`,
  "giu",
);
const MONTH_DAY = new RegExp(
  `(?<!\\p{L})${MONTH}(?!\\p{L})\\.?[\\s/-]{0,2}(\\d{1,2})(?:st|nd|rd|th)?[\\s,/-]{1,3}(\\d{4}|\\d{2})(?![\\d:]|[.,]\\d)`,
  "giu",
);
const COMPACT = /(?<![\p{L}\d.,/-])((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![\p{L}\d/-]|[.,]\d)/gu;

/**
 * Detects the order of day and month from the dates of a document: those with a part above twelve, and otherwise other signs of the
 * conventions of the United States ("$", "ZIP", months before days). Without any sign, the day comes first.
 */
export function detectDayOrder(texts: Iterable<string>): DayOrder {
  let dayFirst = 0;
  let monthFirst = 0;
  let american = 0;
  for (const text of texts) {
    for (const match of text.matchAll(NUMERIC)) {
      const first = Number(match[1]);
      const second = Number(match[3]);
      if (match[2] === "." || (match[1]?.length ?? 0) > 2) continue;
      if (first > 12 && first <= 31 && second <= 12) dayFirst += 1;
      if (second > 12 && second <= 31 && first <= 12) monthFirst += 1;
    }
    if (/(?<!\p{L})[A-Z]{2},? \d{5}(?:-\d{4})?(?!\d)/u.test(text) || /(?<![A-Z])\$ ?\d/u.test(text)) american += 1;
    if (text.search(MONTH_DAY) >= 0) american += 1;
  }
  if (dayFirst !== monthFirst) return monthFirst > dayFirst ? "month-first" : "day-first";
  return american > 1 ? "month-first" : "day-first";
}

/** Finds the dates in a text with their positions. Where forms overlap, those with the name of a month take precedence. */
export function findDates(text: string, order: DayOrder): FoundDate[] {
  if (!/\d/u.test(text)) return [];
  const forms = [findDaysOfMonths(text), findMonthsWithDays(text), findNumeric(text, order), findCompact(text)];
  return forms.reduce<FoundDate[]>((found, more) => withoutOverlaps(found, [...more]), []);
}

/** Adds dates to those that were found before, unless they overlap. Both are in the order of the text, and so is the result. */
function withoutOverlaps(found: readonly FoundDate[], more: readonly FoundDate[]): FoundDate[] {
  const all: FoundDate[] = [];
  let next = 0;
  for (const date of more) {
    for (let known = found[next]; known !== undefined && known.end <= date.start; known = found[next]) {
      all.push(known);
      next += 1;
    }
    const known = found[next];
    if (known === undefined || date.end <= known.start) all.push(date);
  }
  return [...all, ...found.slice(next)];
}

/** Returns the date of a match; nothing if the calendar does not have it. */
function toDates(match: RegExpExecArray, year: string, month: number, day: number, shape: number): FoundDate[] {
  const value = isoDay(fullYear(year), month, day);
  return value === undefined ? [] : [{ start: match.index, end: match.index + match[0].length, value, shape }];
}

function* findDaysOfMonths(text: string): Generator<FoundDate> {
  for (const match of text.matchAll(DAY_MONTH)) {
    const [, day = "", month = "", year = ""] = match;
    yield* toDates(match, year, parseMonth(month), Number(day), 1);
  }
}

function* findMonthsWithDays(text: string): Generator<FoundDate> {
  for (const match of text.matchAll(MONTH_DAY)) {
    const [, month = "", day = "", year = ""] = match;
    yield* toDates(match, year, parseMonth(month), Number(day), 1);
  }
}

function* findNumeric(text: string, order: DayOrder): Generator<FoundDate> {
  for (const match of text.matchAll(NUMERIC)) {
    const [, first = "", mark, second = "", third = ""] = match;
    if (first.length === 3) continue;
    if (first.length === 4) {
      if (third.length === 2) yield* toDates(match, first, Number(second), Number(third), 1);
      continue;
    }
    const dayFirst = mark === "." || (order === "day-first" ? Number(second) <= 12 : Number(first) > 12);
    const [day, month] = dayFirst ? [first, second] : [second, first];
    yield* toDates(match, third, Number(month), Number(day), third.length === 4 ? 1 : 0.9);
  }
}

function* findCompact(text: string): Generator<FoundDate> {
  for (const match of text.matchAll(COMPACT)) {
    const [, year = "", month = "", day = ""] = match;
    yield* toDates(match, year, Number(month), Number(day), 0.35);
  }
}

function parseMonth(name: string): number {
  const lower = name.toLowerCase();
  return MONTHS.findIndex((names) => names.split("|").includes(lower)) + 1;
}

function fullYear(year: string): number {
  const value = Number(year);
  if (year.length > 2) return value;
  return value < 70 ? 2000 + value : 1900 + value;
}

function isoDay(year: number, month: number, day: number): string | undefined {
  if (year < 1900 || year > 2199 || month < 1 || month > 12 || day < 1) return undefined;
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  return `${String(year)}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}
