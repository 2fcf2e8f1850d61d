import { withoutApostrophe } from "../rows/separated-values.ts";

/** A record of separated values, with the line at which it begins, from 1. */
export interface SeparatedRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

const separators = [",", ";", "\t"];

/**
 * Parses comma-, semicolon- or tab-separated values (RFC 4180). The separator is the one that occurs most often in the first line. Quoted
 * cells may contain line breaks, and empty lines are ignored. The apostrophe that an export puts before what looks like a formula is not part
 * of the text. Reads at most `limit` records. `unclosed` is the line of a quote that is not closed.
 */
export function separatedRecords(
  text: string,
  limit: number,
): { records: SeparatedRecord[]; unclosed: number | undefined } {
  const [first = ""] = text.split(/\r?\n/, 1);
  const count = (separator: string): number => first.split(separator).length;
  const separator = separators.reduce((best, next) => (count(next) > count(best) ? next : best));
  const records: SeparatedRecord[] = [];
  let cells: string[] = [];
  let cell = "";
  let line = 1;
  let begin = 1;
  let quoted: number | undefined;
  const endCell = (): void => {
    cells.push(withoutApostrophe(cell));
    cell = "";
  };
  const endRecord = (): void => {
    endCell();
    if (cells.some((value) => value !== "")) records.push({ line: begin, cells });
    cells = [];
    begin = line;
  };
  for (let at = 0; at < text.length && records.length < limit; at += 1) {
    const character = text.charAt(at);
    if (character === "\n") line += 1;
    if (quoted !== undefined) {
      if (character !== '"') cell += character;
      else if (text.charAt(at + 1) === '"') cell += text.charAt((at += 1));
      else quoted = undefined;
    } else if (character === '"' && cell === "") quoted = line;
    else if (character === separator) endCell();
    else if (character === "\n") endRecord();
    else if (character !== "\r" || text.charAt(at + 1) !== "\n") cell += character;
  }
  if (records.length < limit && (cell !== "" || cells.length > 0)) endRecord();
  return { records, unclosed: quoted };
}
