const SYMBOLS: Readonly<Record<string, string>> = {
  "€": "EUR",
  "£": "GBP",
  "¥": "JPY",
  "₹": "INR",
  "₽": "RUB",
  "₺": "TRY",
  "₩": "KRW",
  "₪": "ILS",
  "฿": "THB",
  "₫": "VND",
  "₱": "PHP",
  "₴": "UAH",
  "₦": "NGN",
  $: "USD",
  us$: "USD",
  c$: "CAD",
  ca$: "CAD",
  a$: "AUD",
  au$: "AUD",
  s$: "SGD",
  hk$: "HKD",
  nz$: "NZD",
  r$: "BRL",
  rm: "MYR",
  rs: "INR",
  fr: "CHF",
  sfr: "CHF",
  kc: "CZK",
  zl: "PLN",
  ft: "HUF",
  euro: "EUR",
  euros: "EUR",
  dm: "DEM",
};
const CODES: ReadonlySet<string> = new Set(
  "EUR USD GBP CHF JPY CNY INR MYR SGD HKD AUD CAD NZD SEK NOK DKK PLN CZK HUF RON BGN TRY RUB UAH ILS AED SAR ZAR BRL MXN ARS CLP COP KRW THB IDR PHP VND TWD NGN KES EGP MAD TND XOF XAF ISK DEM FRF ATS ITL ESP NLG BEF LUF".split(
    " ",
  ),
);

/** Returns the ISO 4217 code of a symbol or code; undefined if it is not a currency. "$" is interpreted as US dollars. */
export function currencyCode(printed: string): string | undefined {
  const code = printed.trim().toUpperCase();
  if (CODES.has(code)) return code;
  return SYMBOLS[printed.trim().toLowerCase()];
}

/** Finds the currency directly before or after a number. `glued` means that letters of it touch the number. */
export function currencyAround(before: string, after: string): { code: string | undefined; isAdjacent: boolean } {
  const left = /(?<![\p{L}\d])(\p{Sc}|\p{L}{1,2}\$|\p{L}{2,5})\.?(\s?)[-−]?$/u.exec(before);
  const leftCode = left ? currencyCode(left[1] as string) : undefined;
  if (leftCode) return { code: leftCode, isAdjacent: left?.[2] === "" };
  const right = /^(\s?)[-−]?(\p{Sc}|\p{L}{2,5})(?![\p{L}\d])/u.exec(after);
  const rightCode = right ? currencyCode(right[2] as string) : undefined;
  return { code: rightCode, isAdjacent: rightCode !== undefined && right?.[1] === "" };
}
