import { isEqualValue } from "@switchyard/matching";
import { getLetters } from "../../../fold.ts";
import type { Example, FormExample } from "./example.ts";
import { learnForm, write, type Form } from "./form.ts";
import { computeSimilarity } from "./normal-form.ts";

/** A text that was accepted, in the form in which it was accepted most often. */
export interface KnownText {
  readonly letters: string;
  readonly text: string;
  /** All forms in which it was accepted. */
  readonly forms: readonly string[];
  /** The number of files in which it was accepted. */
  readonly times: number;
}

/** How the values of a text column are written. */
export interface Writing {
  readonly form: Form;
  /** The accepted texts of words, the most frequent first. */
  readonly texts: readonly KnownText[];
}

const MAX_TEXTS = 1_000;
/** The number of letters that a text must have to be remembered. */
const MIN_LETTERS = 5;
/** The number of letters and digits that a text must have to be a misreading of another. */
const MISREAD_LETTERS = 8;
/** Letters that are read as digits, and digits as them. */
const LOOKALIKES: Readonly<Record<string, string>> = { o: "0", i: "1", l: "1", s: "5", z: "2", b: "8", g: "6" };
/** How similar a text must be to one that was accepted in several files to be a misreading of it. */
const MISREAD = 0.88;

/** Learns from examples how values are written. */
export function learnWriting(examples: readonly Example[]): Writing {
  const printed = examples.flatMap(({ form, accepted }) =>
    form && accepted !== undefined ? [{ form, accepted }] : [],
  );
  return { form: learnForm(printed), texts: toTexts(examples) };
}

/**
 * Writes a text as it was accepted before, even if it is a misreading of that, or else in the form of the accepted texts. Of several forms in
 * which it was accepted, the printed one takes precedence.
 */
export function writeText(example: FormExample, { texts, form }: Writing): string {
  const written = write(example, form);
  const known = findKnown(getLetters(written), texts);
  return known === undefined || known.forms.includes(written) ? written : known.text;
}

/**
 * Finds the accepted text with the given letters and digits, or the one of which they are a misreading: they differ only in letters and digits
 * that look alike, such as O and 0, or from a text that was accepted in two files by a few letters, but in no digit and not in length. A letter
 * more may be another name. Of two letters that look alike, such as I and L, a single file does not say which one was misread.
 */
export function findKnown(letters: string, texts: readonly KnownText[]): KnownText | undefined {
  const known = texts.find((each) => each.letters === letters);
  if (known !== undefined || letters.length < MISREAD_LETTERS) return known;
  const shapes = toShapes(letters);
  const digits = letters.replace(/\P{N}/gu, "");
  const long = texts.filter((each) => each.letters.length === letters.length);
  return (
    long.find(
      (each) => toShapes(each.letters) === shapes && (each.times > 1 || differInDigitsOnly(each.letters, letters)),
    ) ??
    long.find(
      (each) =>
        each.times > 1 &&
        each.letters.replace(/\P{N}/gu, "") === digits &&
        computeSimilarity(each.letters, letters, MISREAD) > 0,
    )
  );
}

/** Whether two texts of the same length have a digit in one of them wherever they differ. */
function differInDigitsOnly(one: string, other: string): boolean {
  return [...one].every(
    (character, index) => character === other[index] || /\d/u.test(character + (other[index] ?? "")),
  );
}

/** Replaces letters by the digits that look like them. */
function toShapes(letters: string): string {
  return letters.replace(/[oilszbg]/gu, (letter) => LOOKALIKES[letter] ?? letter);
}

/** Whether the printed value of an example, as it would be written, counts as the accepted one. */
export function isWrittenAsAccepted({ column, form, accepted }: Example, writing: Writing): boolean {
  return form === undefined || accepted === undefined || isEqualValue(column, accepted, writeText(form, writing));
}

/** Returns for each accepted text of words, by its letters and digits, how it was written most often, the most frequent first. Bounded. */
function toTexts(examples: readonly Example[]): KnownText[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { accepted, form } of examples) {
    // Dates and amounts are not remembered: their digits have one form in each document.
    if (accepted === undefined || accepted.length > 400 || (form && form.value !== "" && isNumeric(form.value)))
      continue;
    const letters = getLetters(accepted);
    if (letters.replace(/\p{N}/gu, "").length < MIN_LETTERS) continue;
    const texts = counts.get(letters) ?? new Map<string, number>();
    texts.set(accepted, (texts.get(accepted) ?? 0) + 1);
    counts.set(letters, texts);
  }
  const known = [...counts].map(([letters, texts]): KnownText => {
    const sorted = [...texts].sort(([one, often], [other, times]) => times - often || (one < other ? -1 : 1));
    return {
      letters,
      text: sorted[0]?.[0] ?? "",
      forms: sorted.map(([text]) => text),
      times: sorted.reduce((sum, [, times]) => sum + times, 0),
    };
  });
  known.sort((one, other) => other.times - one.times || (one.letters < other.letters ? -1 : 1));
  return known.slice(0, MAX_TEXTS);
}

function isNumeric(value: string | number): boolean {
  return typeof value === "number" || /^\d{4}-\d{2}-\d{2}$/u.test(value);
}
