/** How much of a document is read; what is beyond is left out with a warning. */
export interface ReadLimits {
  /** Pages of the document and its attachments together. */
  readonly maxPages: number;
  /** Characters of text (UTF-16 units) of the document and its attachments together. */
  readonly maxCharacters: number;
  /** Lines of text of the document and its attachments together. */
  readonly maxLines: number;
  /** Attachments of a message and of the messages in it together. */
  readonly maxAttachments: number;
  /**
   * Lines of the source of a message, and twice as many of a message and those in it together: parsing takes time for each line. 25 MiB
   * of Base64 have fewer.
   */
  readonly maxMessageLines: number;
  /** How deep messages inside messages are read; 1 reads the attachments of the document itself only. */
  readonly maxDepth: number;
}

/** How deep the elements of an HTML document may be nested. Reading takes time that grows with depth times length. */
export const maxNestedElements = 500;
/** How deep lists, quotations and tables in HTML are nested; the text in them is formatted anew for each. */
export const maxNestedFormats = 30;
/** How much of an HTML document is read: memory grows with its elements. */
export const maxHtml = { characters: 8_000_000, elements: 100_000 };

/**
 * How many messages the source of a message may hold, in it and in each other. Each level of nesting is parsed anew with all that is in
 * it, and no more than `maxAttachments` are read anyway.
 */
export const maxMessagesInside = 100;

/** The limits of a reader that is given none. */
export const defaultLimits: ReadLimits = {
  maxPages: 200,
  maxCharacters: 500_000,
  maxLines: 50_000,
  maxAttachments: 50,
  maxMessageLines: 400_000,
  maxDepth: 3,
};

/** What is left of the limits while one document is read. */
export interface Budget {
  readonly limits: ReadLimits;
  /** Takes a page; false when there is none left. */
  takePage(): boolean;
  /** Takes an attachment; false when there is none left. */
  takeAttachment(): boolean;
  /** Takes a line; false when there is none left. */
  takeLine(): boolean;
  /** Takes lines of the source of messages, at most as many as `messageLinesLeft` answers. */
  takeMessageLines(count: number): void;
  /** How many lines of the source of messages are left. */
  messageLinesLeft(): number;
  /** Takes up to so many characters and answers how many there were left. */
  takeCharacters(count: number): number;
  /** Whether there is room for more text; if not, notes that there was more. */
  hasRoom(): boolean;
  /** How many characters are left. */
  charactersLeft(): number;
  /** Notes that a reader stopped at a limit of its own: only so many of something were read. */
  onlyFirst(count: number, what: string): void;
  /** Notes another thing that was left out, in a sentence. */
  leaveOut(sentence: string): void;
  /** What was left out: one sentence for each limit that was reached. */
  leftOut(): string[];
}

/** The budget of one document, with its attachments. */
export function createBudget(limits: ReadLimits): Budget {
  let pages = limits.maxPages;
  let attachments = limits.maxAttachments;
  let characters = limits.maxCharacters;
  let lines = limits.maxLines;
  let messageLines = 2 * limits.maxMessageLines;
  const reached = new Set<string>();
  const onlyFirst = (count: number, what: string): void => {
    reached.add(`Only the first ${count} ${what} were read.`);
  };
  return {
    limits,
    takePage() {
      if (pages === 0) onlyFirst(limits.maxPages, "pages");
      return pages > 0 && pages-- > 0;
    },
    takeAttachment() {
      if (attachments === 0) onlyFirst(limits.maxAttachments, "attachments");
      return attachments > 0 && attachments-- > 0;
    },
    takeLine() {
      if (lines === 0) onlyFirst(limits.maxLines, "lines");
      return lines > 0 && lines-- > 0;
    },
    takeMessageLines(count) {
      messageLines -= count;
    },
    messageLinesLeft: () => messageLines,
    takeCharacters(count) {
      if (count > characters) onlyFirst(limits.maxCharacters, "characters");
      const taken = Math.min(count, characters);
      characters -= taken;
      return taken;
    },
    hasRoom() {
      if (characters === 0) onlyFirst(limits.maxCharacters, "characters");
      if (lines === 0) onlyFirst(limits.maxLines, "lines");
      return characters > 0 && lines > 0;
    },
    charactersLeft: () => characters,
    onlyFirst,
    leaveOut: (sentence) => void reached.add(sentence),
    leftOut: () => [...reached],
  };
}
