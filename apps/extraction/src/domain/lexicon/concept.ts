/** What kind of thing a value is; it decides which candidates of a document are considered. */
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

/** A field that many documents have, and how documents and people call it. */
export interface Concept {
  readonly id: string;
  readonly kind: Kind;
  /** Names that a column of this concept has. Documents use them as labels as well; those ending in "~" often for others. */
  readonly names: readonly string[];
  /** Labels that documents use, but that would say too little as a column's name. */
  readonly labels: readonly string[];
}

/** A concept from lists of phrases separated by bars. */
export function concept(id: string, kind: Kind, names: string, labels = ""): Concept {
  return { id, kind, names: phrases(names), labels: phrases(labels) };
}

function phrases(list: string): string[] {
  return list
    .split("|")
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "");
}
