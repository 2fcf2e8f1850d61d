import type { Receipt } from "./receipt-set.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** The accepted values of a receipt, with their types. */
export type TypedValues = Record<"company" | "date" | "address" | "total", string | number | null>;

/** Returns the accepted values with their types. Values in an unusual notation are null. */
export function getTypedValues({
  accepted: { company, date, address, total },
}: Pick<Receipt, "accepted">): TypedValues {
  const number = Number((total ?? "").replace(/[^\d.-]/g, ""));
  return {
    company: company ?? null,
    date: getDay(date ?? ""),
    address: address ?? null,
    total: total === undefined || Number.isNaN(number) ? null : number,
  };
}

/**
 * Parses a day in the notations of the set, day first if both can be: "25/12/2018", "12/25/2018", "12-01-19", "5 MAR 2018", "MAR 5, 2018",
 * "20180305".
 */
function getDay(text: string): string | null {
  const [, y = "", m = "", d = ""] = /^(\d{4})[-/.]?(0\d|1[0-2])[-/.]?(\d{2})$/.exec(text.trim()) ?? [];
  if (y !== "") return `${y}-${m}-${d}`;
  const [, one = "", other = "", year = ""] =
    /([a-z]{3})[a-z]*[\s./-]*(\d{1,2})[\s./,-]+(\d{4})/i.exec(text) ??
    /(\d{1,2})[\s./-]*(\d{1,2}|[a-z]{3})[a-z]*[\s./,-]*(\d{4}|\d{2})/i.exec(text) ??
    [];
  const [day, month] = Number(other) > 12 || /[a-z]/i.test(one) ? [other, one] : [one, other];
  const number = /^\d+$/.test(month) ? Number(month) : months.indexOf(month.toLowerCase()) + 1;
  if (day === "" || number < 1 || number > 12) return null;
  const whole = year.length === 2 ? `20${year}` : year;
  return `${whole}-${String(number).padStart(2, "0")}-${day.padStart(2, "0")}`;
}
