import type { XmlElement } from "../xml/tree.ts";
import { findBelow } from "./parts.ts";

/** How the numbers of a cell are displayed. */
export interface NumberFormat {
  readonly kind: "number" | "date" | "time" | "percent";
  /** The number of decimals; undefined for as many as the number has. */
  readonly decimals: number | undefined;
  /** What is displayed with the number, such as a currency. */
  readonly currency: string;
}

const general: NumberFormat = { kind: "number", decimals: undefined, currency: "" };

/** The formats that a workbook need not define (ECMA-376, 18.8.30). Other numbers have no format of their own. */
const builtIn: ReadonlyMap<number, string> = new Map([
  [1, "0"],
  [2, "0.00"],
  [3, "#,##0"],
  [4, "#,##0.00"],
  [9, "0%"],
  [10, "0.00%"],
  ...[14, 15, 16, 17, 27, 30, 36, 50, 57].map((id) => [id, "yyyy-mm-dd"] as const),
  ...[18, 19, 20, 21, 45, 46, 47].map((id) => [id, "h:mm"] as const),
  [22, "yyyy-mm-dd h:mm"],
  ...[37, 38].map((id) => [id, "#,##0"] as const),
  ...[39, 40, 43, 44].map((id) => [id, "#,##0.00"] as const),
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

/** Converts a format code, of which the first section counts. */
function toFormat(code: string): NumberFormat {
  const currency = /\[\$([^\]-]*)/.exec(code)?.[1] ?? /"([^"]*)"/.exec(code)?.[1] ?? /[€$£¥]/.exec(code)?.[0] ?? "";
  const [plain = ""] = code.replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, "").split(";");
  if (/[dy]/i.test(plain) && !/general/i.test(plain)) return { ...general, kind: "date" };
  if (/[hs]/i.test(plain)) return { ...general, kind: "time" };
  const decimals = /[0#?]/.test(plain) ? (/\.([0#?]+)/.exec(plain)?.[1]?.replace(/[#?]/g, "").length ?? 0) : undefined;
  return { kind: plain.includes("%") ? "percent" : "number", decimals, currency: currency.trim() };
}

/** Formats the value of a cell: a date as YYYY-MM-DD, with the time if it is not midnight. Values that are not numbers are returned unchanged. */
export function formatNumber(value: string, format: NumberFormat | undefined, from1904: boolean): string {
  const number = value.trim() === "" ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) return value;
  const { kind, decimals, currency } = format ?? general;
  if (kind === "date" || kind === "time") return formatDate(number, kind, from1904) ?? value;
  const shown = kind === "percent" ? number * 100 : number;
  const text = decimals === undefined ? String(Number(shown.toPrecision(15))) : shown.toFixed(Math.min(decimals, 20));
  return kind === "percent" ? `${text}%` : currency === "" ? text : `${text} ${currency}`;
}

const day = 86_400_000;

/** Days count from the end of 1899; before March 1900 they are wrong by one, as in Excel, and not converted. */
function formatDate(days: number, kind: "date" | "time", from1904: boolean): string | undefined {
  const time = Date.UTC(1899, 11, 30) + Math.round((days + (from1904 ? 1_462 : 0)) * 86_400) * 1_000;
  if (days < 0 || time > Date.UTC(9999, 11, 31)) return undefined;
  const iso = new Date(time).toISOString();
  if (kind === "time" && days < 1) return iso.slice(11, 16);
  return time % day === 0 ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;
}
