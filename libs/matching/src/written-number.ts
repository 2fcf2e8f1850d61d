/** A sign or bracket, a currency such as "Fr.", the digits, a currency or percent sign, and a closing bracket, without white space. */
const amount =
  /^(?<outer>[(−-]?)(?:\p{L}{0,3}\p{Sc}|\p{L}{1,3}\.?)?(?<inner>[−-]?)(?<digits>\.?\d[\d.,]*)(?:\p{Sc}|\p{L}{1,3}\.?|%)?\)?$/u;

/**
 * Parses a number such as "1,234.50", "1.234,50", "$ 12", "12 EUR", "(5)" and "-5". Returns undefined for other texts. If there are dots and
 * commas, the last one is the decimal mark. Otherwise, a dot that occurs repeatedly separates groups, and so do commas between groups of two or
 * three digits of which the last has three. Any other mark is the decimal mark, so lists such as "10,20,30" are not numbers.
 */
export function parseNumber(text: string): number | undefined {
  const parts = amount.exec(text.normalize("NFKC").replace(/[\s'’]/gu, ""))?.groups;
  if (parts?.["digits"] === undefined) return undefined;
  const number = Number(normalizeDigits(parts["digits"]));
  if (!Number.isFinite(number)) return undefined;
  return parts["outer"] || parts["inner"] ? -number : number;
}

function normalizeDigits(digits: string): string {
  const mark = findDecimalMark(digits);
  return digits.replaceAll(mark === "." ? "," : ".", "").replace(mark, ".");
}

function findDecimalMark(digits: string): "." | "," {
  const dot = digits.lastIndexOf(".");
  const comma = digits.lastIndexOf(",");
  if (dot >= 0 && comma >= 0) return dot > comma ? "." : ",";
  if (comma >= 0) return /^\d{1,3}(?:,\d{2,3})*,\d{3}$/u.test(digits) ? "." : ",";
  return digits.indexOf(".") === dot ? "." : ",";
}
