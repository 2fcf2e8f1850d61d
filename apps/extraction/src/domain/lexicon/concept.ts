/** The kind of a value, which determines the candidates that are considered. */
export type Kind =
  | "money"
  | "number"
  | "percent"
  | "date"
  | "identifier"
  | "iban"
  | "bic"
  | "tax-identifier"
  | "email"
  | "phone"
  | "url"
  | "name"
  | "address"
  | "currency"
  | "duration"
  | "jurisdiction"
  | "text";

/** A common field of documents, with its names. */
export interface Concept {
  readonly id: string;
  readonly kind: Kind;
  /** The names of columns of this concept. Documents also use them as labels. Names with the suffix "~" often mean something else there. */
  readonly names: readonly string[];
  /** Labels in documents that would be too unspecific as names of columns. */
  readonly labels: readonly string[];
}

/** Creates a concept from lists of phrases, separated by bars. */
export function concept(id: string, kind: Kind, names: string, labels = ""): Concept {
  return { id, kind, names: phrases(names), labels: phrases(labels) };
}

function phrases(list: string): string[] {
  return list
    .split("|")
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "");
}
