import { characterCount } from "@switchyard/text";
import type { CellScore } from "../tables/table-score.ts";

/** The keystrokes of a person who types the values that were extracted correctly. */
export interface Typing {
  /** The number of values. */
  readonly cells: number;
  /** The number of their characters, and of keys to the next field. */
  readonly keystrokes: number;
}

/**
 * The seconds of the keystroke-level model: for reading a value and preparing to type it (M), and for a key of an average non-secretary typist
 * (K). Card, Moran, Newell: "The keystroke-level model for user performance time with interactive systems", CACM 23(7), 1980.
 */
const secondsPerCell = 1.35;
const secondsPerKey = 0.28;

/** Counts what a person would have had to type without the extraction: the correct values. Correctly empty cells need no typing. */
export function countTyping(cells: readonly CellScore[]): Typing {
  const typed = cells.filter(({ outcome }) => outcome === "correct");
  const keystrokes = typed.reduce((sum, { expected }) => sum + characterCount(String(expected)) + 1, 0);
  return { cells: typed.length, keystrokes };
}

/** Adds the typing of several files. */
export function addTyping(files: readonly (Typing | undefined)[]): Typing {
  const add = (part: keyof Typing): number => files.reduce((sum, typing) => sum + (typing?.[part] ?? 0), 0);
  return { cells: add("cells"), keystrokes: add("keystrokes") };
}

/** Estimates the hours that typing takes, by the keystroke-level model. */
export function estimateHours({ cells, keystrokes }: Typing): number {
  return (cells * secondsPerCell + keystrokes * secondsPerKey) / 3600;
}
