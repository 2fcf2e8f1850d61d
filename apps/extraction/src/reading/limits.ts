/** How much of a document is read; what is beyond is left out with a warning. */
export interface ReadLimits {
  /** Pages of the document and its attachments together. */
  readonly maxPages: number;
  /** Characters of text (UTF-16 units) of the document and its attachments together. */
  readonly maxCharacters: number;
  /** Attachments of a message and of the messages in it together. */
  readonly maxAttachments: number;
  /** How deep messages inside messages are read; 1 reads the attachments of the document itself only. */
  readonly maxDepth: number;
}

/** The limits of a reader that is given none. */
export const defaultLimits: ReadLimits = { maxPages: 200, maxCharacters: 500_000, maxAttachments: 50, maxDepth: 3 };

/** What is left of the limits while one document is read. */
export interface Budget {
  readonly limits: ReadLimits;
  /** Takes a page; false when there is none left. */
  takePage(): boolean;
  /** Takes an attachment; false when there is none left. */
  takeAttachment(): boolean;
  /** Takes up to so many characters and answers how many there were left. */
  takeCharacters(count: number): number;
  /** How many characters are left. */
  charactersLeft(): number;
  /** One sentence for each limit that was reached. */
  warnings(): string[];
}

/** The budget of one document, with its attachments. */
export function createBudget(limits: ReadLimits): Budget {
  let pages = limits.maxPages;
  let attachments = limits.maxAttachments;
  let characters = limits.maxCharacters;
  const reached = new Set<string>();
  return {
    limits,
    takePage() {
      if (pages === 0) reached.add(`only the first ${limits.maxPages} pages were read`);
      return pages > 0 && pages-- > 0;
    },
    takeAttachment() {
      if (attachments === 0) reached.add(`only the first ${limits.maxAttachments} attachments were read`);
      return attachments > 0 && attachments-- > 0;
    },
    takeCharacters(count) {
      if (count > characters) reached.add(`only the first ${limits.maxCharacters} characters were read`);
      const taken = Math.min(count, characters);
      characters -= taken;
      return taken;
    },
    charactersLeft: () => characters,
    warnings: () => [...reached],
  };
}
