import type { FormExample } from "./example.ts";

/** How a team writes the values of a text column. */
export interface Form {
  /** Between the lines of a value. "comma" puts a comma where a line does not end with a mark. */
  readonly join: " " | "comma" | "" | "\n";
  /** The marks that are removed from the end. */
  readonly end: "keep" | "strip" | "strip all" | "point";
  readonly letters: "keep" | "upper" | "lower" | "title";
  /** The spaces around commas: as printed, or one after each. */
  readonly commas: "keep" | "spaced" | "none";
  /** For dates: as printed, or a pattern. For amounts: as printed, or with the currency, or plain digits. */
  readonly value: string;
}

/** The form of the rules: the text as it is printed, with its lines joined by spaces. */
const PRINTED: Form = { join: " ", end: "keep", letters: "keep", commas: "keep", value: "printed" };

const JOINS: readonly Form["join"][] = [" ", "comma", "", "\n"];
const ENDS: readonly Form["end"][] = ["keep", "strip", "strip all", "point"];
const LETTERS: readonly Form["letters"][] = ["keep", "upper", "lower", "title"];
const COMMAS: readonly Form["commas"][] = ["keep", "spaced", "none"];
const DATES = ["yyyy-mm-dd", "dd/mm/yyyy", "dd.mm.yyyy", "dd-mm-yyyy", "mm/dd/yyyy", "d/m/yyyy", "d.m.yyyy", "m/d/yyyy"]
  .concat(["dd/mm/yy", "dd-mm-yy", "dd.mm.yy", "mm/dd/yy", "yyyymmdd", "yyyy/mm/dd"])
  .concat(["dd mon yyyy", "d mon yyyy", "dd-mon-yyyy", "mon d, yyyy", "month d, yyyy", "d month yyyy"]);
const AMOUNTS = ["currency", "currency spaced", "currency after", "plain", "two decimals"];
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** This many accepted texts in capital letters, and no others, are a habit of the team, even if the documents printed them all that way. */
const HABIT = 20;

/**
 * Learns how accepted texts are written: of the known forms, the one in which most accepted texts are exactly what the document prints, and
 * the form of the rules unless another one is right at least twice as often more than it is wrong. Texts that were accepted in capital
 * letters only are written that way.
 */
export function learnForm(examples: readonly { form: FormExample; accepted: string }[]): Form {
  let best = PRINTED;
  let mostRight = countRight(examples, best);
  const consider = (form: Form): void => {
    const right = countRight(examples, form);
    if (right > mostRight) [best, mostRight] = [form, right];
  };
  const first = examples[0]?.form;
  const isDate = examples.some(({ form }) => typeof form.value === "string" && /^\d{4}-\d{2}-\d{2}$/u.test(form.value));
  if (typeof first?.value === "number") for (const value of AMOUNTS) consider({ ...PRINTED, value });
  else if (isDate) for (const value of DATES) consider({ ...PRINTED, value });
  // One choice after the other: the choices hardly depend on each other.
  for (const join of JOINS) consider({ ...best, join });
  for (const commas of COMMAS) consider({ ...best, commas });
  for (const end of ENDS) consider({ ...best, end });
  for (const letters of LETTERS) consider({ ...best, letters });
  const form = mostRight - countRight(examples, PRINTED) >= Math.max(2, 0.02 * examples.length) ? best : PRINTED;
  const lettered = examples.filter(({ accepted }) => /\p{L}/u.test(accepted));
  const capitals = lettered.length >= HABIT && lettered.every(({ accepted }) => accepted === accepted.toUpperCase());
  return capitals ? { ...form, letters: "upper" } : form;
}

function countRight(examples: readonly { form: FormExample; accepted: string }[], form: Form): number {
  return examples.filter(({ form: example, accepted }) => write(example, form) === accepted.trim()).length;
}

/** Writes a value in a form. */
export function write(example: FormExample, form: Form): string {
  const { lines, before, after, value } = example;
  if (form.value !== "printed") {
    const written =
      typeof value === "number"
        ? writeAmount(value, lines.join(" "), before, after, form.value)
        : writeDate(value, form.value);
    if (written !== undefined) return withLetters(written, form.letters);
  }
  let text = "";
  for (const [index, line] of lines.entries()) {
    const trimmed = line.trim();
    if (index === 0) text = trimmed;
    else if (form.join === "comma") text += /[^\p{L}\p{N})"'’]$/u.test(text) ? ` ${trimmed}` : `, ${trimmed}`;
    else text += form.join + trimmed;
  }
  text = text.replace(form.join === "\n" ? /[^\S\n]+/gu : /\s+/gu, " ").trim();
  if (form.commas === "spaced") text = text.replace(/\s*,\s*(?=\S)/gu, ", ");
  if (form.commas === "none") text = text.replace(/,/gu, "");
  if (form.end === "strip") text = text.replace(/[\s,;:]+$/u, "");
  if (form.end === "strip all") text = text.replace(/[\s,;:.]+$/u, "");
  if (form.end === "point" && /[\p{L}\p{N})]$/u.test(text)) text += ".";
  return withLetters(text, form.letters);
}

function withLetters(text: string, letters: Form["letters"]): string {
  if (letters === "upper") return text.toUpperCase();
  if (letters === "lower") return text.toLowerCase();
  if (letters === "title") return text.toLowerCase().replace(/(?<![\p{L}'’])\p{L}/gu, (letter) => letter.toUpperCase());
  return text;
}

function writeDate(value: string, pattern: string): string | undefined {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(value) ?? [];
  if (year === "") return undefined;
  const name = MONTHS[Number(month) - 1] ?? "";
  const parts: Record<string, string> = {
    yyyy: year,
    yy: year.slice(2),
    mm: month,
    m: String(Number(month)),
    dd: day,
    d: String(Number(day)),
    mon: name.slice(0, 3),
    month: name,
  };
  return pattern.replace(/month|mon|yyyy|yy|mm|m|dd|d/gu, (part) => parts[part] ?? part);
}

function writeAmount(value: number, text: string, before: string, after: string, form: string): string | undefined {
  const touching = /^(?:\p{Sc}|\p{L}{1,3}\p{Sc}?(?=\d))/u.exec(text)?.[0] ?? "";
  const currency = touching || (/(?:\p{Sc}|\p{Lu}{1,3}\p{Sc}?)\s*$/u.exec(before)?.[0] ?? "");
  const number = text.slice(touching.length).trimStart();
  switch (form) {
    case "currency":
      return currency === "" || text.startsWith(currency) ? text : currency + text;
    case "currency spaced":
      return currency === "" ? text : `${currency.trim()} ${number}`;
    case "currency after":
      return `${text}${/^\s?(?:\p{Sc}|\p{Lu}{2,3}(?!\p{L}))/u.exec(after)?.[0] ?? ""}`;
    case "plain":
      return String(value);
    case "two decimals":
      return value.toFixed(2);
    default:
      return undefined;
  }
}
