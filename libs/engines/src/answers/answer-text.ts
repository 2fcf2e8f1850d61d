/** The parsed JSON of an answer, or undefined if the text is not one. */
export type ParsedAnswer = { readonly value: unknown } | undefined;

/**
 * Reads the JSON in the text of an answer: the whole text, or the only fenced block in it. Text with several fenced blocks is not an answer,
 * because it does not say which of them is meant.
 */
export function parseAnswer(text: string): ParsedAnswer {
  const whole = parseJson(text);
  if (whole !== undefined) return whole;
  const fences = [...text.matchAll(/^[ \t]*```/gm)];
  const [opening, closing] = fences;
  if (fences.length !== 2 || opening === undefined || closing === undefined) return undefined;
  const block = text.slice(opening.index + opening[0].length, closing.index);
  return parseJson(block.replace(/^[ \t]*json[ \t]*(?=\r?\n)/i, ""));
}

function parseJson(text: string): ParsedAnswer {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
