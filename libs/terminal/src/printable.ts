// Control characters, including escape sequences and tabs; lone surrogates; characters that change the direction of text; line separators.
const hidden = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
// Characters that JSON need not escape, but that a terminal may interpret.
const hiddenInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const short: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Escapes the characters that a terminal would interpret as \n, \t or \uXXXX. */
export function printable(text: string): string {
  return text.replace(hidden, (character) => short.get(character) ?? escaped(character));
}

/** Escapes such characters in JSON as \uXXXX. JSON without them is returned unchanged. */
export function printableJson(json: string): string {
  return json.replace(hiddenInJson, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
