import type { File } from "@switchyard/client";
import type { Column } from "@switchyard/terminal";

/** The columns of files. */
export const fileColumns: readonly Column[] = [
  { title: "id", holds: "id" },
  { title: "filename", holds: "text" },
  { title: "type", holds: "text" },
  { title: "size", right: true },
  { title: "pages", right: true },
  { title: "status" },
  { title: "accepted" },
  { title: "created", holds: "time" },
];

/** Formats a file as a row of these columns. */
export function fileRow({ id, filename, contentType, size, pageCount, status, accepted, createdAt }: File) {
  return [id, filename, contentType, size, pageCount, status, accepted ? "yes" : "no", createdAt];
}
