import type { Violation } from "@switchyard/rpc";

const maxNameLength = 255;

/** Control characters, lone surrogates, path separators, and characters that change the direction of text. */
const harmful = /[\p{Cc}\p{Cs}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/**
 * Parses the name of a file for storage: trims it, replaces harmful characters by "_", and changes names of folders. Returns a violation of
 * `field` unless it has 1 to 255 characters.
 */
export function parseFilename(given: string, field: string): { filename: string } | { violation: Violation } {
  const filename = given.trim().replace(harmful, "_");
  const length = [...filename].length;
  if (length === 0) return { violation: { field, message: "is required" } };
  if (length > maxNameLength) return { violation: { field, message: `must have at most ${maxNameLength} characters` } };
  return { filename: /^\.{1,2}$/.test(filename) ? filename.replaceAll(".", "_") : filename };
}

/** Returns the extension of a name with its dot, in lower case; empty if there is none. */
export function getExtension(filename: string): string {
  return /\.[^.\s]{1,16}$/.exec(filename)?.[0].toLowerCase() ?? "";
}
