import type { File } from "@switchyard/client";
import type { Column } from "../view.ts";

/** The columns of files. */
export const fileColumns: readonly Column[] = [
  { title: "id" },
  { title: "filename", shrinks: true },
  { title: "type", shrinks: true },
  { title: "size", right: true },
  { title: "pages", right: true },
  { title: "status" },
  { title: "accepted" },
  { title: "created" },
];

/** A file in these columns. */
export function fileRow({ id, filename, contentType, size, pageCount, status, accepted, createdAt }: File) {
  return [id, filename, contentType, size, pageCount, status, accepted ? "yes" : "no", createdAt];
}
