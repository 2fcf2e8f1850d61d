import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { Candidate } from "./candidates/candidate.ts";
import { detectDayOrder } from "@switchyard/text";
import type { DayOrder } from "@switchyard/text";
import { datesIn } from "./candidates/dates.ts";
import {
  bicsIn,
  emailsIn,
  ibansIn,
  identifierTokensIn,
  phonesIn,
  taxIdentifiersIn,
  urlsIn,
} from "./candidates/identifiers.ts";
import {
  detectDecimalMark,
  moneyShape,
  numbersIn,
  type DecimalMark,
  type NumberCandidate,
} from "./candidates/numbers.ts";
import { labelHits, type LabelHit, type LabelIndex } from "./labels.ts";
import { createLayout, type Cell, type Layout } from "./layout/layout.ts";
import type { Kind } from "./lexicon/concept.ts";

/** A document with the results of its analysis. */
export interface Context {
  readonly layout: Layout;
  readonly order: DayOrder;
  readonly mark: DecimalMark;
  /** The labels of each row. */
  readonly hits: readonly (readonly LabelHit[])[];
  /** Finds the candidates of a kind in a cell, in order. Empty for kinds without a form of their own. */
  candidates(kind: Kind, cell: Cell): readonly Candidate[];
  /** Finds the numbers in a cell. */
  numbers(cell: Cell): readonly NumberCandidate[];
  /** Returns what `make` gives, which is only called once for a key: for what several columns need of a document. */
  once<T>(key: string, make: () => T): T;
}

/** Analyzes a document: its layout, its date and decimal formats, and its labels. Never throws. */
export function createContext(text: DocumentText, index: LabelIndex): Context {
  const layout = createLayout(text);
  const texts = layout.cells.map((cell) => cell.text);
  const order = detectDayOrder(texts);
  const mark = detectDecimalMark(texts);
  const found = new Map<Kind, Map<Cell, readonly Candidate[]>>();
  const numbers = new Map<Cell, readonly NumberCandidate[]>();

  const getNumbers = (cell: Cell): readonly NumberCandidate[] =>
    getOrCreate(numbers, cell, () => numbersIn(cell, mark));
  const candidates = (kind: Kind, cell: Cell): readonly Candidate[] => {
    const cells = found.get(kind) ?? new Map<Cell, readonly Candidate[]>();
    found.set(kind, cells);
    return getOrCreate(cells, cell, () => find(kind, cell, order, getNumbers));
  };
  const made = new Map<string, unknown>();
  const once = <T>(key: string, make: () => T): T => getOrCreate(made, key, make) as T;
  return { layout, order, mark, hits: labelHits(layout, index), candidates, numbers: getNumbers, once };
}

function find(
  kind: Kind,
  cell: Cell,
  order: DayOrder,
  numbers: (cell: Cell) => readonly NumberCandidate[],
): readonly Candidate[] {
  switch (kind) {
    case "money":
      return numbers(cell)
        .filter((number) => !isPartOfPhone(number, cell))
        .map((number) => ({ ...number, shape: moneyShape(number) }))
        .filter((number) => number.shape > 0);
    case "number":
      return numbers(cell).map((number) => ({
        ...number,
        shape: number.percent ? 0.6 : number.looksLikeCode ? 0.7 : 1,
      }));
    case "percent":
      return numbers(cell)
        .filter((number) => Math.abs(number.value) <= 100)
        .map((number) => ({ ...number, shape: number.percent ? 1 : 0.4 }));
    case "date":
      return datesIn(cell, order);
    case "identifier":
      return identifierTokensIn(cell);
    case "iban":
      return ibansIn(cell);
    case "bic":
      return bicsIn(cell);
    case "tax-identifier":
      return taxIdentifiersIn(cell);
    case "email":
      return emailsIn(cell);
    case "phone":
      return phonesIn(cell);
    case "url":
      return urlsIn(cell);
    default:
      return [];
  }
}

/** Whether a number without decimals and currency is in an international telephone number: "+33 4 72 07 08 56". */
function isPartOfPhone(number: NumberCandidate, cell: Cell): boolean {
  if (number.decimals > 0 || number.currency || !cell.text.includes("+")) return false;
  const [{ start, end }] = number.spans;
  return phonesIn(cell).some(
    ({ spans: [phone], value }) => String(value).startsWith("+") && phone.start <= start && end <= phone.end,
  );
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
