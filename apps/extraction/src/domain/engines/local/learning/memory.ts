import type { Example, Option } from "./example.ts";
import { combine, getPlace } from "../../../hashing.ts";

/** How often something was the accepted value, and how often it was a candidate that was not. */
type Counts = readonly [right: number, wrong: number];

/**
 * Counts by 32-bit hashes. Typed arrays, because the many counts of a large model take a tenth of the memory and time of a `Map` when what
 * was learned is read in a thread.
 */
export interface CountTable {
  /** In ascending order. */
  readonly keys: Uint32Array;
  /** The counts of the keys. They do not exceed the number of files. */
  readonly right: Uint16Array;
  readonly wrong: Uint16Array;
}

/**
 * What the accepted files of a column contained: which values and which surroundings were right or wrong, in all files and in those of an
 * issuer. An issuer is recognized by lines at the head of its documents.
 */
export interface Memory {
  readonly values: CountTable;
  readonly anchors: CountTable;
  /** The number of files with each head line. */
  readonly heads: ReadonlyMap<number, number>;
  /** Counts of anchors by the hash of a head line and the anchor. */
  readonly issuers: CountTable;
  readonly files: number;
}

/** The number of files that show what is usually right. */
const USUALLY = 3;

/** Remembers the accepted files of a column. */
export function remember(examples: readonly Example[]): Memory {
  const values = new Map<number, [number, number]>();
  const anchors = new Map<number, [number, number]>();
  const issuers = new Map<number, [number, number]>();
  const heads = new Map<number, number>();
  for (const example of examples) {
    for (const head of example.heads) heads.set(head, (heads.get(head) ?? 0) + 1);
    for (const [key, right] of outcomes(example, ({ value }) => value)) count(values, key, right);
    for (const [key, right] of outcomes(example, ({ anchor }) => anchor)) {
      count(anchors, key, right);
      for (const head of example.heads) count(issuers, combine(head, key), right);
    }
  }
  return {
    values: toTable(values),
    anchors: toTable(anchors),
    issuers: toTable(issuers),
    heads,
    files: examples.length,
  };
}

/**
 * Describes the candidates of a document by what is remembered, by the places of features. With `own`, the counts are those without this
 * document, which is how it would be described if it were not known.
 */
export function recall(
  { options, heads }: Pick<Example, "options" | "heads">,
  memory: Memory,
  own?: OwnOutcomes,
): number[][] {
  const known = own === undefined ? 0 : 1;
  const issuerHeads = [...heads].filter((head) => {
    const files = (memory.heads.get(head) ?? 0) - known;
    // A line of many issuers, such as a title, does not identify one.
    return files > 0 && (memory.files <= 8 || files <= memory.files / 3);
  });
  const files = Math.max(0, ...issuerHeads.map((head) => (memory.heads.get(head) ?? 0) - known));
  const byValue = new Map<number, number>();
  const byAnchor = new Map<number, readonly number[]>();
  const describeAnchor = (anchor: number): readonly number[] => {
    const mine = own?.anchors.get(anchor);
    const general = getPlace(`known-anchor:${grade(without(find(memory.anchors, anchor), mine))}`);
    if (files === 0) return [general];
    let best: Counts = [0, 0];
    for (const head of issuerHeads) {
      const counts = without(find(memory.issuers, combine(head, anchor)), mine);
      if (counts[0] > best[0] || (counts[0] === best[0] && counts[1] > best[1])) best = counts;
    }
    return [general, getPlace(`issuer:${files > 1 ? "two" : "one"}:${grade(best)}`)];
  };
  return options.map(({ value, anchor }) => {
    const valuePlace =
      byValue.get(value) ??
      getPlace(`known-value:${grade(without(find(memory.values, value), own?.values.get(value)))}`);
    byValue.set(value, valuePlace);
    const anchorPlaces = byAnchor.get(anchor) ?? describeAnchor(anchor);
    byAnchor.set(anchor, anchorPlaces);
    return [valuePlace, ...anchorPlaces];
  });
}

/** Returns in how many files a value was the accepted one, by its hash. */
export function countRightValues({ values }: Memory, value: number): number {
  return find(values, value)?.[0] ?? 0;
}

/** Whether a value was the accepted one of several files, and of most that contain it, by its hash; with `own`, not counting this document. */
export function isUsuallyRight({ values }: Memory, value: number, own?: OwnOutcomes): boolean {
  const [right, wrong] = without(find(values, value), own?.values.get(value));
  return right >= USUALLY && right > 0.8 * (right + wrong);
}

/** The outcomes of the candidates of one example. */
export interface OwnOutcomes {
  readonly values: ReadonlyMap<number, boolean>;
  readonly anchors: ReadonlyMap<number, boolean>;
}

/** Returns what an example itself contributes to the memory. */
export function ownOutcomes(example: Example): OwnOutcomes {
  return { values: outcomes(example, ({ value }) => value), anchors: outcomes(example, ({ anchor }) => anchor) };
}

/** Returns for each key whether one of its options is right. An example counts once for each key. */
function outcomes(example: Example, key: (option: Option) => number): Map<number, boolean> {
  const found = new Map<number, boolean>();
  // Without a right candidate, nothing is known about the others.
  if (!example.right.includes(true)) return found;
  example.options.forEach((option, index) => {
    const own = key(option);
    found.set(own, (found.get(own) ?? false) || example.right[index] === true);
  });
  return found;
}

function count(counts: Map<number, [number, number]>, key: number, right: boolean): void {
  const known = counts.get(key) ?? [0, 0];
  known[right ? 0 : 1] += 1;
  counts.set(key, known);
}

function toTable(counts: ReadonlyMap<number, Counts>): CountTable {
  const keys = Uint32Array.from(counts.keys()).sort();
  const table = { keys, right: new Uint16Array(keys.length), wrong: new Uint16Array(keys.length) };
  keys.forEach((key, index) => ([table.right[index], table.wrong[index]] = counts.get(key) as [number, number]));
  return table;
}

function find({ keys, right, wrong }: CountTable, key: number): Counts | undefined {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  return keys[low] === key ? [right[low] as number, wrong[low] as number] : undefined;
}

function without(counts: Counts | undefined, own: boolean | undefined): Counts {
  const [right, wrong] = counts ?? [0, 0];
  return own === undefined ? [right, wrong] : own ? [right - 1, wrong] : [right, wrong - 1];
}

function grade([right, wrong]: Counts): string {
  if (right + wrong === 0) return "new";
  const share = right / (right + wrong);
  const often = right >= USUALLY ? USUALLY : right;
  return `${often}:${share > 0.8 ? "mostly" : share > 0.4 ? "often" : share > 0.1 ? "seldom" : "hardly"}`;
}
