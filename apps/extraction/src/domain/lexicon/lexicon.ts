import { AMOUNTS } from "./amounts.ts";
import type { Concept } from "./concept.ts";
import { DATES } from "./dates.ts";
import { IDENTIFIERS } from "./identifiers.ts";
import { LINE_ITEMS } from "./line-items.ts";
import { PARTIES } from "./parties.ts";

/** The concepts of a document as a whole. */
export const DOCUMENT_CONCEPTS: readonly Concept[] = [...AMOUNTS, ...DATES, ...IDENTIFIERS, ...PARTIES];

/** The concepts of the rows of a table. */
export const LINE_CONCEPTS: readonly Concept[] = LINE_ITEMS;
