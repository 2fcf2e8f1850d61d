import { findDates } from "@switchyard/text";
import type { DayOrder } from "@switchyard/text";
import type { Cell } from "../layout/layout.ts";
import type { Candidate } from "./candidate.ts";

/** A date in a document. */
export interface DateCandidate extends Candidate {
  /** The date as "YYYY-MM-DD". */
  readonly value: string;
}

/** Finds the dates in a cell, in order. Dates that do not exist in the calendar are left out. */
export function datesIn(cell: Cell, order: DayOrder): DateCandidate[] {
  return findDates(cell.text, order).map(({ start, end, value, shape }) => ({
    spans: [{ cell, start, end }],
    value,
    shape,
  }));
}
