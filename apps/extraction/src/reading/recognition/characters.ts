/** A recognized character: how certain it is, from 0 to 1, and where its center is, as a fraction of the length of its strip. */
export interface RecognizedCharacter {
  readonly text: string;
  readonly confidence: number;
  readonly position: number;
}

/**
 * Decodes the output of a recognition model: for each of `steps` positions, the probability of each class. Class 0 is no character, and the
 * same class at adjacent positions is one character (connectionist temporal classification, with the best class at each position).
 */
export function decodeCharacters(
  output: Float32Array,
  steps: number,
  alphabet: readonly string[],
): RecognizedCharacter[] {
  const classes = output.length / steps;
  const found: { text: string; confidence: number; position: number; first: number; last: number }[] = [];
  let previous = 0;
  for (let step = 0; step < steps; step++) {
    let best = 0;
    const offset = step * classes;
    for (let each = 1; each < classes; each++) if (output[offset + each]! > output[offset + best]!) best = each;
    const confidence = output[offset + best]!;
    if (best !== 0 && best === previous) {
      const last = found.at(-1)!;
      last.last = step;
      last.confidence = Math.max(last.confidence, confidence);
      last.position = ((last.first + last.last) / 2 + 0.5) / steps;
    } else if (best !== 0) {
      const text = alphabet[best - 1] ?? "";
      found.push({ text, confidence, position: (step + 0.5) / steps, first: step, last: step });
    }
    previous = best;
  }
  return found;
}
