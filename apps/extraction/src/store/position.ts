/**
 * Where a document stands in a list that is ordered by time, then by id: one string, so that a page begins with one comparison.
 * Greater is newer.
 */
export function toPosition(createdAt: Date, id: string): string {
  return `${String(createdAt.getTime()).padStart(15, "0")}~${id}`;
}
