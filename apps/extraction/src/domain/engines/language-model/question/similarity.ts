import { tokenize } from "../../../fold.ts";
import { hashText } from "../../../hashing.ts";

/** The words of the beginning of a document, as hashes in ascending order. */
export type Signature = Uint32Array;

/** The number of characters of a document by which it is compared with others. */
export const SIGNATURE_CHARACTERS = 4_000;

/** Returns the signature of the beginning of a document. Numbers do not count, because similar documents differ in them. */
export function toSignature(text: string): Signature {
  const words = tokenize(text.slice(0, SIGNATURE_CHARACTERS)).filter(({ text: word }) => !/\d/u.test(word));
  return Uint32Array.from(new Set(words.map(({ text: word }) => hashText(word)))).sort();
}

/** Computes the similarity of two documents: the number of words that both have, of those that either has. 0 for documents without words. */
export function computeLikeness(one: Signature, other: Signature): number {
  let [left, right, common] = [0, 0, 0];
  while (left < one.length && right < other.length) {
    const difference = (one[left] as number) - (other[right] as number);
    if (difference === 0) common += 1;
    if (difference <= 0) left += 1;
    if (difference >= 0) right += 1;
  }
  const all = one.length + other.length - common;
  return all === 0 ? 0 : common / all;
}
