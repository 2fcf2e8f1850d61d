import { MAX_ROWS } from "../domain/engines/local/facts/facts.ts";

/** The limits of what is read of a document. Everything beyond them is left out with a warning. */
export interface ReadLimits {
  /** The maximum number of pages of the document and its attachments together. */
  readonly maxPages: number;
  /** The maximum number of characters (UTF-16 units) of the document and its attachments together. */
  readonly maxCharacters: number;
  /** The maximum number of lines of the document and its attachments together. */
  readonly maxLines: number;
  /** The maximum number of attachments of a message and of the messages in it together. */
  readonly maxAttachments: number;
  /**
   * The maximum number of lines in the source of a message. A message and those in it together may have twice as many. The limit exists
   * because parsing takes time for each line. 25 MiB of Base64 have fewer lines.
   */
  readonly maxMessageLines: number;
  /** The maximum depth of nested messages. With 1, only the attachments of the document itself are read. */
  readonly maxDepth: number;
  /** The maximum number of pages of the document and its attachments that are read by recognizing text in a picture; 0 for none. */
  readonly maxPictures: number;
}

/** The maximum nesting depth of elements in HTML and XML. The time for reading HTML is proportional to depth times length. */
export const maxNestedElements = 500;
/** The maximum nesting depth of lists, quotations and tables in HTML, because their text is formatted again at each level. */
export const maxNestedFormats = 30;
/** The part of an HTML document that is read, because the memory is proportional to its elements. */
export const maxHtml = { characters: 8_000_000, elements: 100_000 };

/** The maximum number of elements in XML, because the memory is proportional to them. */
export const maxXmlElements = 1_000_000;
/** The limits of an Office document, which is a ZIP archive: the number of its files, and the bytes that are unpacked from it. */
export const maxArchive = { files: 10_000, bytes: 96 * 1024 * 1024 };
/** The maximum number of line items, and of tax rates, that are read of an electronic invoice. */
export const maxInvoiceRows = MAX_ROWS;

/**
 * The maximum number of messages in the source of a message, at all levels. Each level is parsed again with everything in it, and no more
 * than `maxAttachments` are read in any case.
 */
export const maxMessagesInside = 100;

/** A page with fewer characters, without white space, may be a scan; a document with fewer may consist of pictures. */
export const fewCharacters = 100;
/** Pictures with fewer pixels contain only logos and lines. A scan has more. */
export const fewPixels = 100_000;
/** The maximum number of pictures that are unpacked from an Office document, including those that turn out to be small. */
export const maxPicturesUnpacked = 100;

/** The default limits. */
export const defaultLimits: ReadLimits = {
  maxPages: 200,
  maxCharacters: 500_000,
  maxLines: 50_000,
  maxAttachments: 50,
  maxMessageLines: 400_000,
  maxDepth: 3,
  maxPictures: 10,
};

/** The rest of the limits while a document is read. */
export interface Budget {
  readonly limits: ReadLimits;
  /** Takes a page. Returns false if none is left. */
  takePage(): boolean;
  /** Takes an attachment. Returns false if none is left. */
  takeAttachment(): boolean;
  /** Takes a page whose picture is to be recognized. Returns false if none is left. */
  takePicture(): boolean;
  /** Takes a line. Returns false if none is left. */
  takeLine(): boolean;
  /** Takes lines of the source of messages, at most as many as `messageLinesLeft` returns. */
  takeMessageLines(count: number): void;
  /** Returns the number of remaining lines of the source of messages. */
  messageLinesLeft(): number;
  /** Takes up to `count` characters. Returns the number that were left. */
  takeCharacters(count: number): number;
  /** Whether there is room for more text. If not, records that text was left out. */
  hasRoom(): boolean;
  /** Returns the number of remaining characters. */
  charactersLeft(): number;
  /** Returns the number of remaining lines. */
  linesLeft(): number;
  /** Records that a reader stopped at its own limit and read only the first `count` of something. */
  recordTruncation(count: number, what: string): void;
  /** Records something else that was left out, as a sentence. */
  recordOmission(sentence: string): void;
  /** Returns one sentence for each limit that was reached. */
  omissions(): string[];
}

/** Creates the budget of a document with its attachments. */
export function createBudget(limits: ReadLimits): Budget {
  let pages = limits.maxPages;
  let attachments = limits.maxAttachments;
  let characters = limits.maxCharacters;
  let lines = limits.maxLines;
  let pictures = limits.maxPictures;
  let messageLines = 2 * limits.maxMessageLines;
  const omissions = new Set<string>();
  const recordTruncation = (count: number, what: string): void => {
    omissions.add(`Only the first ${count} ${what} were read.`);
  };
  return {
    limits,
    takePage() {
      if (pages === 0) recordTruncation(limits.maxPages, "pages");
      return pages > 0 && pages-- > 0;
    },
    takeAttachment() {
      if (attachments === 0) recordTruncation(limits.maxAttachments, "attachments");
      return attachments > 0 && attachments-- > 0;
    },
    takePicture() {
      if (pictures === 0) recordTruncation(limits.maxPictures, "pictures of pages");
      return pictures > 0 && pictures-- > 0;
    },
    takeLine() {
      if (lines === 0) recordTruncation(limits.maxLines, "lines");
      return lines > 0 && lines-- > 0;
    },
    takeMessageLines(count) {
      messageLines -= count;
    },
    messageLinesLeft: () => messageLines,
    takeCharacters(count) {
      if (count > characters) recordTruncation(limits.maxCharacters, "characters");
      const taken = Math.min(count, characters);
      characters -= taken;
      return taken;
    },
    hasRoom() {
      if (characters === 0) recordTruncation(limits.maxCharacters, "characters");
      if (lines === 0) recordTruncation(limits.maxLines, "lines");
      return characters > 0 && lines > 0;
    },
    charactersLeft: () => characters,
    linesLeft: () => lines,
    recordTruncation,
    recordOmission: (sentence) => void omissions.add(sentence),
    omissions: () => [...omissions],
  };
}
