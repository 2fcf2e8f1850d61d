import type { Example, Option } from "./example.ts";
import { combine, getPlace } from "./hashing.ts";

/** How often something was the accepted value, and how often it was a candidate that was not. */
type Counts = readonly [right: number, wrong: number];

/**
 * What the accepted files of a column contained: which values and which surroundings were right or wrong, in all files and in those of an
 * issuer. An issuer is recognized by lines at the head of its documents.
 */
export interface Memory {
  readonly values: ReadonlyMap<number, Counts>;
  readonly anchors: ReadonlyMap<number, Counts>;
  /** The number of files with each head line. */
  readonly heads: ReadonlyMap<number, number>;
  /** Counts of anchors by the hash of a head line and the anchor. */
  readonly issuers: ReadonlyMap<number, Counts>;
  readonly files: number;
}

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
  return { values, anchors, issuers, heads, files: examples.length };
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
    const general = getPlace(`known-anchor:${grade(without(memory.anchors.get(anchor), mine))}`);
    if (files === 0) return [general];
    let best: Counts = [0, 0];
    for (const head of issuerHeads) {
      const counts = without(memory.issuers.get(combine(head, anchor)), mine);
      if (counts[0] > best[0] || (counts[0] === best[0] && counts[1] > best[1])) best = counts;
    }
    return [general, getPlace(`issuer:${files > 1 ? "two" : "one"}:${grade(best)}`)];
  };
  return options.map(({ value, anchor }) => {
    const valuePlace =
      byValue.get(value) ?? getPlace(`known-value:${grade(without(memory.values.get(value), own?.values.get(value)))}`);
    byValue.set(value, valuePlace);
    const anchorPlaces = byAnchor.get(anchor) ?? describeAnchor(anchor);
    byAnchor.set(anchor, anchorPlaces);
    return [valuePlace, ...anchorPlaces];
  });
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

function without(counts: Counts | undefined, own: boolean | undefined): Counts {
  const [right, wrong] = counts ?? [0, 0];
  return own === undefined ? [right, wrong] : own ? [right - 1, wrong] : [right, wrong - 1];
}

function grade([right, wrong]: Counts): string {
  if (right + wrong === 0) return "new";
  const share = right / (right + wrong);
  const often = right >= 3 ? 3 : right;
  return `${often}:${share > 0.8 ? "mostly" : share > 0.4 ? "often" : share > 0.1 ? "seldom" : "hardly"}`;
}
