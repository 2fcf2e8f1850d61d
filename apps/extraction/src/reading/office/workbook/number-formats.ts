import type { XmlElement } from "../../xml/tree.ts";
import { findBelow } from "../parts.ts";

/** How the numbers of a cell are displayed. */
export interface NumberFormat {
  readonly kind: "number" | "date" | "time" | "duration" | "percent" | "empty";
  /** The digits; undefined for as many as the number has. */
  readonly digits: Digits | undefined;
  /** The pattern of a duration, whose first unit has no upper limit: `[h]:mm`. */
  readonly pattern: string;
  /** What is displayed with the number, such as a currency. */
  readonly currency: string;
  /** Whether times have seconds. */
  readonly seconds: boolean;
  /** Formats that are used instead if the number fulfills their conditions, of which the first counts. */
  readonly conditional: readonly ConditionalFormat[];
}

interface ConditionalFormat {
  readonly holds: (number: number) => boolean;
  readonly format: NumberFormat;
}

/** The digits of a number: at least so many before the point, and after it at least and at most so many. */
interface Digits {
  readonly whole: number;
  readonly least: number;
  readonly most: number;
  /** How often the number is divided by a thousand before it is displayed. */
  readonly thousands: number;
}

const general: NumberFormat = {
  kind: "number",
  digits: undefined,
  pattern: "",
  currency: "",
  seconds: false,
  conditional: [],
};

/** That of numbers that are not displayed. */
const empty: NumberFormat = { ...general, kind: "empty" };

/** The formats that a workbook need not define (ECMA-376, 18.8.30). Other numbers have no format of their own. */
const builtIn: ReadonlyMap<number, string> = new Map([
  [1, "0"],
  [2, "0.00"],
  [3, "#,##0"],
  [4, "#,##0.00"],
  [9, "0%"],
  [10, "0.00%"],
  ...[14, 15, 16, 17, 27, 30, 36, 50, 57].map((id) => [id, "yyyy-mm-dd"] as const),
  ...[18, 20].map((id) => [id, "h:mm"] as const),
  ...[19, 21, 45, 47].map((id) => [id, "h:mm:ss"] as const),
  [22, "yyyy-mm-dd h:mm"],
  ...[37, 38].map((id) => [id, "#,##0"] as const),
  ...[39, 40, 43, 44].map((id) => [id, "#,##0.00"] as const),
  [46, "[h]:mm:ss"],
]);

/** Reads the formats of the styles of cells, by the numbers of the styles. */
export function readFormats(styles: XmlElement | undefined): NumberFormat[] {
  if (styles === undefined) return [];
  const codes = new Map(builtIn);
  for (const { attributes } of findBelow(styles, "numFmt"))
    codes.set(Number(attributes["numFmtId"]), attributes["formatCode"] ?? "");
  const cells = styles.children.find(({ name }) => name === "cellXfs")?.children ?? [];
  return cells.map(({ attributes }) => toFormat(codes.get(Number(attributes["numFmtId"] ?? 0)) ?? ""));
}

/**
 * Converts a format code. Of its sections, the first counts, unless it has a condition, as in `[>=1000]0,"K";0`. Numbers for which there is an empty section
 * are not displayed: `0;;` is for positive ones only.
 */
export function toFormat(code: string): NumberFormat {
  const sections = splitSections(code).slice(0, 3);
  const conditions = sections.map(readCondition);
  if (conditions[0] === undefined) {
    const holds = (number: number): boolean => isEmpty(chooseSection(sections, number));
    const hasEmpty = sections.length > 1 && sections.some(isEmpty);
    return { ...toSectionFormat(sections[0] ?? ""), conditional: hasEmpty ? [{ holds, format: empty }] : [] };
  }
  const conditional = sections.map((section, index): ConditionalFormat => {
    // A second section is for negative numbers if there is a third one.
    const holds = conditions[index] ?? ((number) => index !== 1 || sections.length < 3 || number < 0);
    return { holds, format: isEmpty(section) ? empty : toSectionFormat(section) };
  });
  return { ...general, conditional };
}

/** Splits a format code at the semicolons that are not in quotes. */
function splitSections(code: string): string[] {
  const sections = [""];
  for (const [piece] of code.matchAll(/"[^"]*"?|\\.?|[^;"\\]+|;/g)) {
    if (piece === ";") sections.push("");
    else sections[sections.length - 1] += piece;
  }
  return sections;
}

function isEmpty(section: string): boolean {
  return section.trim() === "";
}

/** Returns the section for a number: the second is for negative ones, and the third for zeros, unless it is for texts. */
function chooseSection(sections: readonly string[], number: number): string {
  const at = number < 0 ? 1 : number === 0 ? 2 : 0;
  const section = sections[at];
  return section === undefined || section.includes("@") ? (sections[0] ?? "") : section;
}

/** Reads the condition of a section; undefined if it has none. */
function readCondition(section: string): ((number: number) => boolean) | undefined {
  const [, operator = "", operand = ""] = /^(?:\[[^\]<>=]*\])*\[([<>]=?|=|<>)\s*(-?[\d.]+)\]/.exec(section) ?? [];
  const limit = Number(operand);
  if (operator === "" || !Number.isFinite(limit)) return undefined;
  const accepted = { "<": [-1], "<=": [-1, 0], "=": [0], ">=": [0, 1], ">": [1], "<>": [-1, 1] }[operator] ?? [];
  return (number) => accepted.includes(Math.sign(number - limit));
}

function toSectionFormat(section: string): NumberFormat {
  // A space as wide as a character, and a character that fills the cell, are not displayed as such.
  const shown = section.replace(/("[^"]*"|\\.)|[_*]./g, "$1");
  const currency =
    /\[\$([^\]-]+)/.exec(shown)?.[1] ?? /"([^"]*)"/.exec(shown)?.[1] ?? /(?<!\[)[€$£¥]/.exec(shown)?.[0] ?? "";
  const literal = /"[^"]*"|\\.|_.|\*./g;
  const pattern = /\[(?:h+|m+|s+)\].*/i.exec(section.replace(literal, ""))?.[0] ?? "";
  if (pattern !== "") return { ...general, kind: "duration", pattern: pattern.toLowerCase() };
  const plain = section.replace(literal, "").replace(/\[[^\]]*\]/g, "");
  const hasDigits = /[0#?]/.test(plain);
  const seconds = /s/i.test(plain);
  if (!/general/i.test(plain)) {
    const isMonth = /m/i.test(plain) && !hasDigits && !/[hs]/i.test(plain);
    if (/[dy]/i.test(plain) || isMonth) return { ...general, kind: "date", seconds };
  }
  if (/[hs]/i.test(plain)) return { ...general, kind: "time", seconds };
  const kind = plain.includes("%") ? "percent" : "number";
  // Fractions and powers of ten are displayed as decimal numbers, with all of their digits.
  const isExact = !hasDigits || /\/|[0#?]E[+-]/i.test(plain);
  return { ...general, kind, digits: isExact ? undefined : readDigits(plain), currency: currency.trim() };
}

function readDigits(plain: string): Digits {
  const [whole = "", fraction = ""] = plain.split(".", 2);
  return {
    whole: count(whole, /0/g),
    least: count(fraction, /0/g),
    most: Math.min(20, count(fraction, /[0#?]/g)),
    // Commas behind the last digit.
    thousands: /(?<=[0#?]),+(?![0#?,])/.exec(plain)?.[0].length ?? 0,
  };
}

function count(text: string, what: RegExp): number {
  return Math.min(20, text.match(what)?.length ?? 0);
}

/** Formats the value of a cell: a date as YYYY-MM-DD, with the time if it is not midnight. Empty for numbers that are not displayed. Values that are not numbers are returned unchanged. */
export function formatNumber(value: string, format: NumberFormat | undefined, from1904: boolean): string {
  const number = value.trim() === "" ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) return value;
  const chosen = format?.conditional.find(({ holds }) => holds(number))?.format ?? format;
  const { kind, digits, currency, pattern, seconds } = chosen ?? general;
  if (kind === "empty") return "";
  if (kind === "duration") return formatDuration(number, pattern);
  if (kind === "date" || kind === "time") return formatDate(number, { kind, seconds }, from1904) ?? value;
  const shown = (kind === "percent" ? number * 100 : number) / 1_000 ** (digits?.thousands ?? 0);
  // Programs for spreadsheets compute with 15 digits.
  const exact = Number(shown.toPrecision(15));
  const text = digits === undefined ? String(exact) : formatDigits(exact, digits);
  return kind === "percent" ? `${text}%` : currency === "" ? text : `${text} ${currency}`;
}

function formatDigits(number: number, { whole, least, most }: Digits): string {
  const [sign, rounded] = [number < 0 ? "-" : "", round(Math.abs(number), most)];
  if (rounded.includes("e")) return sign + rounded;
  const [before = "", after = ""] = rounded.split(".");
  const decimals = after.slice(0, least) + after.slice(least).replace(/0+$/, "");
  return `${sign}${before.padStart(whole, "0")}${decimals === "" ? "" : `.${decimals}`}`;
}

/** Rounds a number as it is written in decimal: 1.005, which is a little less in binary, becomes 1.01. */
function round(number: number, decimals: number): string {
  const scaled = Number(`${number}e${decimals}`);
  // Numbers with an exponent have no decimals, or none that are displayed. From 1e21 on, the result has an exponent as well.
  return Number.isSafeInteger(Math.round(scaled))
    ? Number(`${Math.round(scaled)}e-${decimals}`).toFixed(decimals)
    : number.toFixed(decimals);
}

/** Formats a number of days as a duration. Its last unit is cut off, not rounded. */
function formatDuration(days: number, pattern: string): string {
  const seconds = Math.round(Math.abs(days) * 86_400);
  const units = [
    { letter: "h", value: Math.floor(seconds / 3_600) },
    { letter: "m", value: Math.floor(seconds / 60) },
    { letter: "s", value: seconds },
  ];
  const first = units.findIndex(({ letter }) => pattern.startsWith(`[${letter}`));
  const shown = units
    .slice(first)
    .filter(({ letter }) => pattern.includes(letter))
    .map(({ value }, index) => (index === 0 ? String(value) : String(value % 60).padStart(2, "0")));
  return (days < 0 ? "-" : "") + shown.join(":");
}

const day = 86_400_000;

/** Days count from the end of 1899; before March 1900 they are wrong by one, as in Excel, and not converted. */
function formatDate(
  days: number,
  { kind, seconds }: { kind: "date" | "time"; seconds: boolean },
  from1904: boolean,
): string | undefined {
  const time = Date.UTC(1899, 11, 30) + Math.round((days + (from1904 ? 1_462 : 0)) * 86_400) * 1_000;
  if (days < 0 || time > Date.UTC(9999, 11, 31)) return undefined;
  const iso = new Date(time).toISOString();
  const clock = iso.slice(11, seconds ? 19 : 16);
  if (kind === "time" && days < 1) return clock;
  return time % day === 0 ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${clock}`;
}
