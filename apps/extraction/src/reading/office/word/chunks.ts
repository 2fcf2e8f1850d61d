import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { createBudget, type Budget } from "../../limits.ts";
import type { ReadContext, ReadHiddenText, Reading, Source } from "../../reading.ts";
import type { Archive } from "../archive.ts";
import { findMainPart, readRelations } from "../parts.ts";

/** The documents in other formats that a text document contains, which programs convert when they open it (`altChunk`). */
export interface Chunks {
  /** Returns the lines of one, once: a document may refer to the same one very often. Empty if it was not read. */
  takeLines(id: string): readonly string[];
  readonly hidden: readonly ReadHiddenText[];
  readonly warnings: readonly string[];
}

/** Reads a document in another one. */
export type ReadPart = (source: Source, context: ReadContext) => Promise<Reading>;

/**
 * Reads the documents in HTML, MHTML, RTF, text or docx in a text document, as many as attachments are read. One that cannot be read is a warning. Throws for
 * damaged archives.
 */
export async function readChunks(archive: Archive, context: ReadContext, readPart: ReadPart): Promise<Chunks> {
  const relations = readRelations(archive, findMainPart(archive, "word/document.xml"));
  const lines = new Map<string, readonly string[]>();
  const hidden: ReadHiddenText[] = [];
  const warnings: string[] = [];
  for (const { id, target } of relations.filter(({ type }) => type === "aFChunk")) {
    const { budget } = context;
    if (context.depth >= budget.limits.maxDepth) {
      budget.recordOmission(`Documents more than ${budget.limits.maxDepth} levels deep were not read.`);
      break;
    }
    if (!budget.takeAttachment()) break;
    const bytes = archive.read(target);
    if (bytes === undefined) continue;
    const source = toSource(bytes, target);
    const part = { budget: createPartBudget(budget, source), depth: context.depth + 1 };
    const reading = await readPart(source, part);
    for (const sentence of part.budget.omissions()) budget.recordOmission(sentence);
    const isForeign = reading.pages.some((page) => page.source === TextSource.XML);
    const message = reading.problem?.message ?? (isForeign ? "Its format is not read here." : "");
    if (message !== "") warnings.push(`A document in the document was not read: ${message}`);
    warnings.push(...reading.warnings);
    if (message !== "") continue;
    lines.set(
      id,
      reading.pages.flatMap((page) => page.lines.map(({ text }) => text)),
    );
    // One by one, because a call cannot have that many arguments.
    for (const page of reading.pages) for (const each of page.hidden ?? []) hidden.push(each);
  }
  const takeLines = (id: string): readonly string[] => {
    const taken = lines.get(id) ?? [];
    lines.delete(id);
    return taken;
  };
  return { takeLines, hidden, warnings };
}

/**
 * Creates the budget of a part whose text is counted again as that of the document. Its attachments and pictures are counted once. Those of an archive
 * of HTML, such as its pictures and styles, are not read.
 */
function createPartBudget(budget: Budget, { contentType }: Source): Budget {
  return {
    ...createBudget({ ...budget.limits, maxCharacters: budget.charactersLeft() }),
    takeAttachment: () => contentType !== archiveType && budget.takeAttachment(),
    takePicture: () => budget.takePicture(),
    takeMessageLines: (count) => budget.takeMessageLines(count),
    messageLinesLeft: () => budget.messageLinesLeft(),
  };
}

/** The content type of an archive of HTML, which is read like a mail. */
const archiveType = "message/rfc822";

/** Describes a part by its name. What an archive of HTML (MHTML) says of itself, as mails do, is not displayed. */
function toSource(bytes: Uint8Array, target: string): Source {
  const filename = target.slice(target.lastIndexOf("/") + 1);
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [head = ""] = source.toString("latin1", 0, 65_536).split(/\r?\n\r?\n/, 1);
  if (!/^mime-version:/im.test(head) || !/^[\w-]+:/.test(head)) return { bytes, filename, contentType: "" };
  const shown = head.replace(/^(from|to|cc|subject|date)(?=:)/gim, "X-$1");
  const converted = Buffer.concat([Buffer.from(shown, "latin1"), source.subarray(head.length)]);
  return { bytes: new Uint8Array(converted), filename, contentType: archiveType };
}
