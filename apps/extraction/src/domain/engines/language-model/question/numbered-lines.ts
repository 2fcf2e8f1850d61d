import { TextSource, type DocumentText, type TextPage } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { TextLine } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { LIMITS } from "../../../layout/layout.ts";

/** A line of a document as it is shown to a language model. Numbers start from 1 and are counted through the whole document. */
export interface NumberedLine {
  readonly number: number;
  readonly page: TextPage;
  /** The text without line breaks and other control characters, except tabs. */
  readonly text: string;
  readonly line: TextLine;
}

/** Numbers the lines of a document that are not blank, as far as `LIMITS` allows. Never throws. */
export function numberLines(text: DocumentText): NumberedLine[] {
  const numbered: NumberedLine[] = [];
  let characters: number = LIMITS.characters;
  for (const page of text.pages) {
    for (const line of page.lines) {
      if (characters <= 0 || numbered.length >= LIMITS.lines) return numbered;
      characters -= line.text.length + 1;
      const plain = toPlain(line.text.slice(0, LIMITS.lineCharacters));
      if (plain !== "") numbered.push({ number: numbered.length + 1, page, text: plain, line });
    }
  }
  return numbered;
}

/**
 * Prints lines with a heading for each page. Each line of the document begins with its number and a bar, and nothing else does, so that no
 * text of a document can be mistaken for a heading.
 */
export function printLines(lines: readonly NumberedLine[]): string {
  const printed: string[] = [];
  let page: TextPage | undefined;
  for (const each of lines) {
    if (each.page !== page) printed.push(printHeading(each.page));
    page = each.page;
    printed.push(printLine(each));
  }
  return printed.join("\n");
}

/** Prints one line with its number. */
export function printLine({ number, text }: Pick<NumberedLine, "number" | "text">): string {
  return `${number}| ${text}`;
}

function printHeading({ number, attachment, sheet, source }: TextPage): string {
  const names = [
    ...(attachment === "" ? [] : [`attachment ${toName(attachment)}`]),
    ...(sheet === "" ? [] : [`sheet ${toName(sheet)}`]),
    ...(source === TextSource.OCR ? ["recognized in a picture"] : []),
  ];
  return `== page ${[number, ...names].join(", ")} ==`;
}

/** Prints a name that the document gives: in quotes, on one line, and short. */
function toName(name: string): string {
  return JSON.stringify(toPlain(name).slice(0, 100));
}

/** Replaces line breaks and all other control characters but tabs, and those that only change the direction of text, by spaces. */
function toPlain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (mark) => (mark === "\t" ? mark : " "))
    .trim();
}
