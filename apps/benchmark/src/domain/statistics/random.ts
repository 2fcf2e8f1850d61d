/** Creates a generator of random 32-bit numbers: sfc32 by Chris Doty-Humphrey, with a state from FNV-1a hashes of a text and a seed. */
export function createRandom(text: string, seed: number): () => number {
  let [a, b, c] = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b].map((basis) => {
    let hash = basis ^ seed;
    for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    return hash | 0;
  }) as [number, number, number];
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 15; round += 1) next();
  return next;
}
