// Controls, among them escape sequences and tabs; halves of characters; marks that turn the direction of what follows; line ends.
const hidden = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
// What JSON may hold as it is, and a terminal may obey.
const hiddenInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const short: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** A text in which nothing is left that a terminal would obey: such characters are written as \n, \t or \uXXXX. */
export function printable(text: string): string {
  return text.replace(hidden, (character) => short.get(character) ?? escaped(character));
}

/** The same JSON value with such characters as \uXXXX; JSON without them comes back as it is. */
export function printableJson(json: string): string {
  return json.replace(hiddenInJson, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
