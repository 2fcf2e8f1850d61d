import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";

/** How much of a text is wanted; all of it when absent. */
export interface TextOptions {
  readonly maxPages?: number;
  /** In UTF-16 units; a character is never cut in two. */
  readonly maxCharacters?: number;
}

/** The text of each page: its lines, each ended by a newline; wide gaps are tabs. */
export function pageTexts(text: DocumentText): string[] {
  return text.pages.map((page) => page.lines.map((line) => `${line.text}\n`).join(""));
}

/** The text of a document, its lines and pages separated by newlines; wide gaps are tabs. */
export function plainText(text: DocumentText, options: TextOptions = {}): string {
  const { maxPages = Infinity, maxCharacters = Infinity } = options;
  let written = "";
  for (const page of text.pages.slice(0, maxPages)) {
    for (const line of page.lines) {
      written += written === "" ? line.text : `\n${line.text}`;
      if (written.length > maxCharacters) return cut(written, maxCharacters);
    }
  }
  return written;
}

function cut(text: string, length: number): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return text.slice(0, end);
}
