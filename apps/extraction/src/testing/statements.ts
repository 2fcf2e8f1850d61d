// Made statements and invoices of several pages, in different layouts, with the rows that they have.
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { placedDocument, type Placed } from "./documents.ts";

/** A made document, and the amounts of its rows in order. */
export interface MadeStatement {
  readonly text: DocumentText;
  readonly amounts: readonly number[];
  /** What varies, for messages of tests. */
  readonly layout: string;
}

type Line = readonly Placed[];
type Random = () => number;

interface Words {
  readonly header: readonly [position: string, description: string, quantity: string, price: string, amount: string];
  readonly balance: string;
  readonly opening: string;
  readonly closing: string;
  readonly carried: string;
  readonly brought: string;
  readonly subtotal: string;
  readonly net: string;
  readonly tax: string;
  readonly total: string;
  readonly page: string;
  readonly decimal: "." | ",";
}

const LANGUAGES: readonly Words[] = [
  {
    header: ["Pos", "Description", "Qty", "Unit price", "Amount"],
    balance: "Balance",
    opening: "Opening balance",
    closing: "Closing balance",
    carried: "Carried forward",
    brought: "Brought forward",
    subtotal: "Subtotal",
    net: "Net amount",
    tax: "VAT 20%",
    total: "Total",
    page: "Page",
    decimal: ".",
  },
  {
    header: ["Pos.", "Bezeichnung", "Menge", "Einzelpreis", "Gesamtpreis"],
    balance: "Saldo",
    opening: "Anfangssaldo",
    closing: "Endsaldo",
    carried: "Übertrag",
    brought: "Übertrag von Seite",
    subtotal: "Zwischensumme",
    net: "Nettobetrag",
    tax: "zzgl. 20 % USt.",
    total: "Rechnungsbetrag",
    page: "Seite",
    decimal: ",",
  },
  {
    header: ["N°", "Désignation", "Quantité", "Prix unitaire", "Montant"],
    balance: "Solde",
    opening: "Solde initial",
    closing: "Nouveau solde",
    carried: "À reporter",
    brought: "Report",
    subtotal: "Sous-total",
    net: "Total HT",
    tax: "TVA 20%",
    total: "Total TTC",
    page: "Page",
    decimal: ",",
  },
];
const GOODS = "Lamp Desk Chair Shelf Paper Cable Router Filter Pump Valve Brush Paint Ladder Table Frame Sensor".split(
  " ",
);
const UNITS = ["", "", " pcs", " Stk.", " h", " kg", " Unit(s)"];
const LINES_A_PAGE = 56;

/** Returns a generator of numbers from 0 to 1 that always gives the same numbers for a seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Makes a statement of 1 to 12 pages. The same seed gives the same statement. The row with the index `unprinted` is not printed, as if reading
 * had lost it, but counts in all sums.
 */
export function makeStatement(seed: number, unprinted?: number): MadeStatement {
  const random = seededRandom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const chance = (probability: number): boolean => random() < probability;
  const words = pick(LANGUAGES);
  const pages = 1 + Math.floor(random() * 12);
  const isAccount = chance(0.3);
  const layout = {
    numbered: chance(0.5),
    header: chance(0.7),
    footer: chance(0.6),
    letterhead: chance(0.6),
    carry: chance(0.5),
    subtotals: !isAccount && chance(0.3),
    lines: 1 + Math.floor(random() * 3),
    split: !isAccount && chance(0.15),
    descriptionLast: !isAccount && chance(0.15),
    tax: !isAccount && chance(0.7),
    unit: pick(UNITS),
    account: isAccount,
    pages,
    language: words.page + words.decimal,
  };
  const print = (amount: number): string => printAmount(amount, words.decimal);
  const columns = layout.descriptionLast ? [2, 66, 8, 26, 46] : [2, 8, 46, 62, 84];
  const [atPosition = 0, atText = 0, atQuantity = 0, atPrice = 0, atAmount = 0] = columns;
  const [position, description, quantity, price, amount] = words.header;
  const header: Line = isAccount
    ? [
        ...(layout.numbered ? [[atPosition, position] as const] : []),
        [8, description],
        [62, amount],
        [84, words.balance],
      ]
    : sorted([
        ...(layout.numbered ? [[atPosition, position] as const] : []),
        [atText, description],
        [atQuantity, quantity],
        [atPrice, price],
        [atAmount, amount],
      ]);
  const sum = (label: string, value: number): Line => [
    [isAccount ? 8 : 40, label],
    [isAccount ? 84 : 86, print(value)],
  ];

  const amounts: number[] = [];
  let balance = cents(1_000 + random() * 9_000);
  const opening = balance;
  const row = (): Line[] => {
    const number: Line = layout.numbered ? [[atPosition, String(amounts.length + 1)]] : [];
    const name = `${pick(GOODS)} ${pick(GOODS).toLowerCase()}${chance(0.3) ? ` ${String(100 + Math.floor(random() * 900))}` : ""}`;
    const more: Line[] = Array.from({ length: Math.floor(random() * layout.lines) }, () => [
      [atText, `${pick(["with", "for", "in"])} ${pick(GOODS).toLowerCase()}`],
    ]);
    if (isAccount) {
      const value = cents((random() - 0.5) * 2_000 || 1);
      balance = cents(balance + value);
      amounts.push(value);
      return [[...number, [8, name], [62, print(value)], [84, print(balance)]], ...more];
    }
    const count = 1 + Math.floor(random() * 40);
    const each = cents(0.5 + random() * 400);
    const value = cents(count * each);
    amounts.push(value);
    const counted: Placed = [atQuantity, `${String(count)}${layout.unit}`];
    const priced: Line = [
      [atPrice, print(each)],
      [atAmount, print(value)],
    ];
    if (layout.split && !layout.descriptionLast) return [[...number, [atText, name], counted], priced, ...more];
    return [sorted([...number, [atText, name], counted, ...priced]), ...more];
  };

  const made: Line[][] = [];
  const running = (): number => (isAccount ? balance : cents(amounts.reduce((total, value) => total + value, 0)));
  for (let at = 0; at < pages; at += 1) {
    const page: Line[] = [];
    if (at === 0 || layout.letterhead) page.push([[4, "Marlow & Pike Ltd"]], [[4, "7 Quay Road, Exeter EX2 4AN"]], []);
    if (at === 0 && isAccount) page.push(sum(words.opening, opening), []);
    if (at === 0 || layout.header) page.push(header);
    if (at > 0 && layout.carry) page.push(sum(words.brought, running()));
    const isLast = at === pages - 1;
    const room = isLast ? 4 + Math.floor(random() * (LINES_A_PAGE - 22)) : LINES_A_PAGE - 6;
    while (page.length < room) {
      const isPrinted = amounts.length !== unprinted;
      const lines = row();
      page.push(...(isPrinted ? lines : [[]]));
      if (layout.subtotals && chance(0.1) && page.length < room) page.push(sum(words.subtotal, running()));
    }
    if (!isLast && layout.carry) page.push(sum(words.carried, running()));
    if (isLast) page.push([], ...closing(words, running(), isAccount, layout.tax, sum));
    while (page.length < LINES_A_PAGE) page.push([]);
    if (layout.footer)
      page.push([
        [4, "Marlow & Pike Ltd · Company no. 04711"],
        [84, `${words.page} ${String(at + 1)}/${String(pages)}`],
      ]);
    made.push(page);
  }
  return { text: placedDocument(...made), amounts, layout: JSON.stringify(layout) };
}

function closing(
  words: Words,
  value: number,
  isAccount: boolean,
  taxed: boolean,
  sum: (label: string, value: number) => Line,
): Line[] {
  if (isAccount) return [sum(words.closing, value)];
  if (!taxed) return [sum(words.total, value)];
  const tax = cents(value * 0.2);
  return [sum(words.net, value), sum(words.tax, tax), sum(words.total, cents(value + tax))];
}

function sorted(line: Line): Line {
  return [...line].sort(([one], [other]) => one - other);
}

function cents(value: number): number {
  return Math.round(value * 100) / 100;
}

function printAmount(amount: number, decimal: "." | ","): string {
  const [whole = "", fraction = ""] = Math.abs(amount).toFixed(2).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/gu, decimal === "," ? "." : ",");
  return `${amount < 0 ? "-" : ""}${grouped}${decimal}${fraction}`;
}
