/** A sign or bracket, a currency, the digits, a currency or per cent sign, and the other bracket; white space is gone before. */
const amount =
  /^(?<outer>[(−-]?)(?:\p{L}{0,3}\p{Sc}|\p{L}{1,3})?(?<inner>[−-]?)(?<digits>\.?\d[\d.,]*)(?:\p{Sc}|\p{L}{1,3}|%)?\)?$/u;

/**
 * The number that a text says, or undefined: "1,234.50", "1.234,50", "$ 12", "12 EUR", "(5)" and "-5". Of two marks the last one is the
 * decimal mark. A mark that comes more than once, or a comma before exactly three digits, groups; any other one is the decimal mark.
 */
export function writtenNumber(text: string): number | undefined {
  const parts = amount.exec(text.normalize("NFKC").replace(/[\s'’]/gu, ""))?.groups;
  if (parts?.["digits"] === undefined) return undefined;
  const number = Number(plainDigits(parts["digits"]));
  if (!Number.isFinite(number)) return undefined;
  return parts["outer"] || parts["inner"] ? -number : number;
}

function plainDigits(digits: string): string {
  const mark = decimalMark(digits);
  return digits.replaceAll(mark === "." ? "," : ".", "").replace(mark, ".");
}

function decimalMark(digits: string): "." | "," {
  const dot = digits.lastIndexOf(".");
  const comma = digits.lastIndexOf(",");
  if (dot >= 0 && comma >= 0) return dot > comma ? "." : ",";
  if (comma >= 0) return /^\d{1,3}(,\d{3})+$/u.test(digits) ? "." : ",";
  return digits.indexOf(".") === dot ? "." : ",";
}
