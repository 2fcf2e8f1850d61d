import { isDocument } from "./document-formats.ts";
import type { DocumentSource } from "./documents.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../terminal/exit-codes.ts";
import type { Input } from "../parsing/input.ts";
import { askYesOrNo, canAsk } from "../terminal/prompt.ts";

const maxNamed = 5;

/**
 * Selects the documents to send: all files that are named, and in folders those that are documents (`isDocument`). Asks about the other
 * files if a user can answer; otherwise leaves them out and prints a note. With --all-files, nothing is left out.
 * @throws UsageError if there is nothing to send
 */
export async function chooseDocuments(
  { io, note }: Pick<Context, "io" | "note">,
  input: Input,
  found: readonly DocumentSource[],
): Promise<readonly DocumentSource[]> {
  if (input.on("all-files")) return found;
  const documents: DocumentSource[] = [];
  const others: DocumentSource[] = [];
  for (const source of found) {
    const isNamed = source.kind === "stdin" || !source.inFolder;
    (isNamed || (await isDocument(source.path)) ? documents : others).push(source);
  }
  if (others.length === 0) return found;
  const named = others.slice(0, maxNamed).map(({ label }) => label);
  const list = [...named, ...(others.length > maxNamed ? [`${others.length - maxNamed} more`] : [])].join(", ");
  const [files, them] = others.length === 1 ? ["1 file is", "it"] : [`${others.length} files are`, "them"];
  const fact = `${files} not in a format that the service reads as a document: ${list}.`;
  if (canAsk(io) && (await askYesOrNo(io, `${fact} Send ${them} too?`))) return found;
  if (documents.length === 0) throw new UsageError(`${fact} Nothing was sent; --all-files sends ${them}.`);
  note(`Skipped: ${fact} --all-files sends ${them}.`);
  return documents;
}
