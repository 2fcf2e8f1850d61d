/**
 * Returns the position of a document in a list that is ordered by time and id, as a string, so that a page begins with one comparison.
 * Greater positions are newer.
 */
export function toPosition(createdAt: Date, id: string): string {
  return `${String(createdAt.getTime()).padStart(15, "0")}~${id}`;
}
