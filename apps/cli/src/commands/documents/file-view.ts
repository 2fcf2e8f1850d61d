import type { File } from "@switchyard/client";
import type { Column } from "@switchyard/terminal";

/** The columns of files. */
export const fileColumns: readonly Column[] = [
  { title: "id", content: "id" },
  { title: "filename", content: "text" },
  { title: "type", content: "text" },
  { title: "size", right: true },
  { title: "pages", right: true },
  { title: "status" },
  { title: "accepted" },
  { title: "created", content: "time" },
];

/** Formats a file as a row of these columns. */
export function fileRow({ id, filename, contentType, size, pageCount, status, accepted, createdAt }: File) {
  return [id, filename, contentType, size, pageCount, status, accepted ? "yes" : "no", createdAt];
}
