import type { Violation } from "@switchyard/text";

/** The maximum number of ids in a list of a request. */
export const maxIds = 1000;

/** Validates a list of ids: it may have at most 1,000, none of which is empty. */
export function validateIdList(field: string, ids: readonly string[]): Violation[] {
  if (ids.length > maxIds) return [{ field, message: `must have at most ${maxIds} entries` }];
  return ids.flatMap((id, index) => (id === "" ? [{ field: `${field}[${index}]`, message: "must not be empty" }] : []));
}
