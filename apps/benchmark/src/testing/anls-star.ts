import { computeSimilarity, isEmpty, prepareText } from "@switchyard/matching";
import type { Scalar } from "@switchyard/matching";
import { findBestAssignment } from "../domain/tables/assignment.ts";

/** The answer of a model: values, and lists and objects of them. */
export type Tree = Scalar | readonly Tree[] | { readonly [key: string]: Tree };
/** The ground truth: a tree like an answer, which may contain alternatives (see {@link oneOf}). */
export type Truth = Scalar | Options | readonly Truth[] | { readonly [key: string]: Truth };

/** Alternative truths, of which any one is correct. */
export interface Options {
  readonly [alternatives]: readonly Truth[];
}

const alternatives = Symbol("alternatives");
/** The units per 1 in which similarities are compared when items are paired. */
const units = 2 ** 30;

/** The sum of the scores of leaves, and the number of leaves. */
interface Score {
  readonly sum: number;
  readonly length: number;
}

/** Creates a truth with alternatives, of which any one is correct. */
export function oneOf(...truths: readonly Truth[]): Options {
  return { [alternatives]: truths };
}

/**
 * Computes ANLS* as it is defined, for any trees, from 0 to 1: the mean similarity of all leaves of truth and answer, where missing and invented leaves count as 0.
 * Null, "", [] and {} are equal, and are ignored for keys that the truth does not have. Items of lists are paired for the maximum
 * similarity. If the truth is a list of texts and the answer is one text, the texts are alternatives, as in the older ANLS.
 * Peer et al., "ANLS* - A Universal Document Processing Metric for Generative Large Language Models", arXiv 2402.03848.
 */
export function computeAnlsStar(truth: Truth, answer: Tree): number {
  const texts = Array.isArray(truth) && typeof answer === "string" && truth.every((item) => typeof item === "string");
  return mean(score(texts ? oneOf(...(truth as readonly Truth[])) : truth, answer));
}

function mean({ sum, length }: Score): number {
  return length === 0 ? 1 : sum / length;
}

function score(truth: Truth, answer: Tree): Score {
  if (isOptions(truth)) return findBest(truth[alternatives].map((option) => score(option, answer)));
  if (isVoid(truth) && !isList(truth) && !isNode(truth))
    return isVoid(answer) ? { sum: 1, length: 1 } : { sum: 0, length: Math.max(1, countLeaves(answer)) };
  if (isList(truth) && isList(answer)) return scoreLists(truth, answer);
  if (isNode(truth) && isNode(answer)) return scoreNodes(truth, answer);
  if (isLeaf(truth) && isLeaf(answer)) return { sum: computeLeafSimilarity(truth, answer), length: 1 };
  return { sum: 0, length: Math.max(countLeaves(truth), countLeaves(answer)) };
}

function findBest(scores: readonly Score[]): Score {
  return scores.reduce((one, other) => (mean(other) > mean(one) ? other : one), scores[0] ?? { sum: 0, length: 1 });
}

function scoreLists(truths: readonly Truth[], answers: readonly Tree[]): Score {
  const scores = truths.map((truth) => answers.map((answer) => score(truth, answer)));
  const assigned = findBestAssignment(scores.map((row) => row.map((pair) => Math.round(mean(pair) * units))));
  let sum = 0;
  let length = 0;
  const answered = new Set<number>();
  truths.forEach((truth, index) => {
    const partner = assigned[index] ?? -1;
    const pair = scores[index]?.[partner];
    if (pair) answered.add(partner);
    sum += pair?.sum ?? 0;
    length += pair?.length ?? countLeaves(truth);
  });
  answers.forEach((answer, index) => (length += answered.has(index) ? 0 : countLeaves(answer)));
  return { sum, length };
}

function scoreNodes(truth: Readonly<Record<string, Truth>>, answer: Readonly<Record<string, Tree>>): Score {
  let sum = 0;
  let length = 0;
  for (const key of new Set([...Object.keys(truth), ...Object.keys(answer)])) {
    const named = Object.hasOwn(truth, key);
    const given = Object.hasOwn(answer, key) ? (answer[key] as Tree) : null;
    if (!named && isVoid(given)) continue;
    const part = score(named ? (truth[key] as Truth) : null, given);
    sum += part.sum;
    length += part.length;
  }
  return { sum, length };
}

function computeLeafSimilarity(truth: Scalar, answer: Scalar): number {
  return computeSimilarity(prepareText(String(truth)), prepareText(String(answer)));
}

/** Counts the leaves of a tree. Of alternatives, the largest counts. */
function countLeaves(tree: Truth): number {
  if (isOptions(tree)) return Math.max(...tree[alternatives].map(countLeaves));
  if (isList(tree)) return tree.reduce((count: number, item) => count + countLeaves(item), 0);
  if (isNode(tree)) return Object.values(tree).reduce((count: number, item) => count + countLeaves(item), 0);
  return 1;
}

function isOptions(tree: Truth): tree is Options {
  return typeof tree === "object" && tree !== null && alternatives in tree;
}

function isList<Kind extends Truth>(tree: Kind): tree is Extract<Kind, readonly Truth[]> {
  return Array.isArray(tree);
}

function isNode<Kind extends Truth>(tree: Kind): tree is Exclude<Extract<Kind, object>, readonly Truth[] | Options> {
  return typeof tree === "object" && tree !== null && !Array.isArray(tree) && !isOptions(tree);
}

function isLeaf(tree: Truth): tree is string | number | boolean {
  return typeof tree !== "object";
}

function isVoid(tree: Truth): boolean {
  return isEmpty(tree) || (isNode(tree) && Object.keys(tree).length === 0);
}
