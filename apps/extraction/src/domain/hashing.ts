/** The number of places for the weights of features. Features whose hashes are equal share a weight. */
export const PLACES = 1 << 17;

/** Computes a 32-bit hash of a text (FNV-1a over UTF-16 units, with a final mix). */
export function hashText(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns the place of a feature's weight. */
export function getPlace(feature: string): number {
  return hashText(feature) & (PLACES - 1);
}

/** Combines two hashes to one. */
export function combine(one: number, other: number): number {
  let hash = Math.imul(one ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(other + 0x7f4a7c15, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x27d4eb2f);
  return (hash ^ (hash >>> 13)) >>> 0;
}
