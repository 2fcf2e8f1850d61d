import type { Cell } from "../layout/layout.ts";
import type { Candidate } from "./candidate.ts";

/** The lengths of the IBANs of some countries (SWIFT IBAN registry). Others are only checked by their check digits. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  AT: 20,
  BE: 16,
  CH: 21,
  CZ: 24,
  DE: 22,
  DK: 18,
  ES: 24,
  FI: 18,
  FR: 27,
  GB: 22,
  GR: 27,
  HU: 28,
  IE: 22,
  IT: 27,
  LU: 20,
  NL: 18,
  NO: 15,
  PL: 28,
  PT: 25,
  SE: 24,
  SK: 24,
  TR: 26,
};

/** Whether the check digits of an IBAN are correct (ISO 13616: 1 modulo 97). Spaces are ignored. */
export function isIban(text: string): boolean {
  const plain = text.replace(/[^A-Za-z0-9]/gu, "").toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/u.test(plain)) return false;
  const length = IBAN_LENGTHS[plain.slice(0, 2)];
  if (length !== undefined && length !== plain.length) return false;
  let remainder = 0;
  for (const character of plain.slice(4) + plain.slice(0, 4)) {
    const digits = /\d/u.test(character) ? character : String(character.charCodeAt(0) - 55);
    for (const digit of digits) remainder = (remainder * 10 + Number(digit)) % 97;
  }
  return remainder === 1;
}

/** Finds the account numbers in a cell: IBANs, with a low shape if the check digits are wrong or digits are masked. */
export function ibansIn(cell: Cell): Candidate[] {
  const found: Candidate[] = [];
  for (const match of cell.text.matchAll(/(?<![\p{L}\d])[A-Z]{2}\d{2} ?[A-Z0-9][A-Z0-9 ]{10,44}/gu)) {
    // The match may include following words. The longest prefix with correct check digits is used, and otherwise the part that consists
    // mostly of digits.
    let plain = match[0].trimEnd();
    // If lower-case letters follow directly, the last word of the match is not part of the number.
    if (!match[0].endsWith(" ") && /^[\p{L}\d]/u.test(cell.text.slice(match.index + match[0].length)))
      plain = plain.slice(0, Math.max(0, plain.lastIndexOf(" ")));
    let valid = plain;
    while (valid.length > 14 && !isIban(valid)) valid = valid.slice(0, Math.max(0, valid.lastIndexOf(" "))).trimEnd();
    if (valid.length > 14) found.push(candidate(cell, match.index, match.index + valid.length, 1));
    else {
      const digits = /^[A-Z]{2}\d{2}[\d ]{8,34}\d/u.exec(plain)?.[0];
      if (digits) found.push(candidate(cell, match.index, match.index + digits.length, 0.4));
    }
  }
  return found;
}

/** Finds business identifier codes of banks: eight or eleven capital letters and digits that contain a country code. */
export function bicsIn(cell: Cell): Candidate[] {
  return matches(cell, /(?<![\p{L}\d])[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![\p{L}\d])/gu, (text) =>
    /\d|XXX$/u.test(text) ? 0.9 : 0.4,
  );
}

/** Finds tax identifiers: European VAT IDs, and otherwise digits with separators that only a label can identify. */
export function taxIdentifiersIn(cell: Cell): Candidate[] {
  const accounts = ibansIn(cell);
  const meets = (one: Candidate, others: readonly Candidate[]): boolean =>
    others.some((other) => one.spans[0].start < other.spans[0].end && other.spans[0].start < one.spans[0].end);
  const european = matches(
    cell,
    /(?<![\p{L}\d])(?:ATU|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|GR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI|CHE|CHE-|NO) ?[0-9A-Z](?:[ .-]?[0-9A-Z]){6,13}(?![\p{L}\d])/gu,
    (text) => (text.replace(/\D/gu, "").length >= 7 ? 1 : 0),
  ).filter((each) => each.shape > 0 && !meets(each, accounts));
  const plain = matches(
    cell,
    /(?<![\p{L}\d.,])[A-Z]{0,5}\d(?:[\d./-]|[A-Z](?=\d|[A-Z]{0,3}(?![\p{L}\d]))){6,18}(?![\p{L}\d])/gu,
    () => 0.6,
  );
  return [...european, ...plain.filter((each) => !meets(each, [...european, ...accounts]))];
}

/** Finds e-mail addresses. */
export function emailsIn(cell: Cell): Candidate[] {
  if (!cell.text.includes("@")) return [];
  return matches(cell, /[\p{L}\d._%+-]{1,64}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,6}/gu, () => 1);
}

/** Finds web addresses. */
export function urlsIn(cell: Cell): Candidate[] {
  return matches(cell, /(?:https?:\/\/|www\.)[^\s,;)]{3,200}/giu, () => 1);
}

/** Finds telephone numbers: seven to fifteen digits with spaces and separators. */
export function phonesIn(cell: Cell): Candidate[] {
  return matches(
    cell,
    /(?<![\p{L}\d.,/-])(?:\+|\(\+?|00)?\d(?:[ ()/.-]{0,3}\d){5,14}(?:[ -]{1,2}\d{1,4})?(?![\p{L}\d]|[.,]\d)/gu,
    (text) => {
      const digits = text.replace(/\D/gu, "").length;
      if (digits < 6 || digits > 15) return 0;
      return text.startsWith("+") ? 1 : /[ ()/-]/u.test(text) ? 0.8 : 0.5;
    },
  ).filter((each) => each.shape > 0);
}

/**
 * Finds tokens with a digit that could be the number of a document, an order or a customer. Dates, times, amounts with decimals,
 * percentages and account numbers are left out.
 */
export function identifierTokensIn(cell: Cell): Candidate[] {
  return matches(
    cell,
    /(?<![\p{L}\d])[\p{L}\d](?:[\p{L}\d_]|[-/.#+](?=[\p{L}\d])){0,39}(?![\p{L}\d%]| ?%)/gu,
    (text) => {
      const digits = text.replace(/\D/gu, "").length;
      if (digits === 0) return 0;
      if (/^\d{1,3}(?:[.,]\d{3})*[.,]\d{2}$/u.test(text) || /^\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})$/u.test(text))
        return 0;
      if (/^\d{4}-\d{2}-\d{2}$/u.test(text) || /[@:]/u.test(text)) return 0;
      if (/\p{L}/u.test(text) && /^\d+\p{Ll}+$/u.test(text)) return 0.2;
      return digits >= 3 ? 1 : 0.7;
    },
  ).filter((each) => each.shape > 0);
}

function matches(cell: Cell, pattern: RegExp, shape: (text: string) => number): Candidate[] {
  return [...cell.text.matchAll(pattern)].map((match) =>
    candidate(cell, match.index, match.index + match[0].length, shape(match[0])),
  );
}

function candidate(cell: Cell, start: number, end: number, shape: number): Candidate {
  return { spans: [{ cell, start, end }], value: cell.text.slice(start, end), shape };
}
