import type { Violation } from "@switchyard/rpc";

const maxNameLength = 255;

/** Control characters, halves of surrogate pairs, path separators, and the marks that turn the direction of text around them. */
const harmful = /[\p{Cc}\p{Cs}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;

/**
 * A file's name as it is stored: trimmed, what is harmful in a name replaced by "_", no name that means a folder. A violation of
 * `field` unless it has 1 to 255 characters.
 */
export function parseFilename(given: string, field: string): { filename: string } | { violation: Violation } {
  const filename = given.trim().replace(harmful, "_");
  const length = [...filename].length;
  if (length === 0) return { violation: { field, message: "is required" } };
  if (length > maxNameLength) return { violation: { field, message: `must have at most ${maxNameLength} characters` } };
  return { filename: /^\.{1,2}$/.test(filename) ? filename.replaceAll(".", "_") : filename };
}

/** The end of a name from its last dot, in lower case; empty without one. */
export function getExtension(filename: string): string {
  return /\.[^.\s]{1,16}$/.exec(filename)?.[0].toLowerCase() ?? "";
}
