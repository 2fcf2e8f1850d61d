import { open } from "node:fs/promises";

/**
 * The file name extensions of the formats that the service reads. It reads Markdown, JSON and source code as plain text too, but in a
 * folder these are seldom documents.
 */
export const documentExtensions: readonly string[] = [
  ...["csv", "eml", "htm", "html", "pdf", "rtf", "tsv", "txt", "xml"],
  ...["docx", "odt", "ods", "pptx", "xlsx"],
  ...["gif", "jpeg", "jpg", "png", "tif", "tiff", "webp"],
];

/**
 * Whether a file is a document in a format that the service reads: by its extension, or as a PDF or RTF by its first bytes. A file that
 * cannot be opened counts as one, so that it is reported and not left out.
 */
export async function isDocument(path: string): Promise<boolean> {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  if (ending !== undefined && documentExtensions.includes(ending)) return true;
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return true;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
    const head = buffer.toString("latin1", 0, bytesRead);
    return head.includes("%PDF-") || /^\s*\{\\rtf/.test(head);
  } finally {
    await file.close();
  }
}
