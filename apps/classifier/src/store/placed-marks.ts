/** Marks records whose documents were placed, in batches. */
export interface PlacedMarks {
  /** Schedules the marking of a record. */
  add(classificationId: string): void;
  /** Marks all records that were added. Resolves when that is done, and never rejects. */
  flush(): Promise<void>;
}

/**
 * Creates the object that marks records with `write`, up to 100 at a time, at most `delayMs` after they were added. If a mark is lost, the
 * sweep repeats the placement, which then has no effect, so failures are only reported.
 */
export function createPlacedMarks(
  write: (classificationIds: string[]) => Promise<unknown>,
  onError: (error: unknown) => void,
  delayMs = 50,
): PlacedMarks {
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const writing = new Set<Promise<void>>();

  function writeWaiting(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const written = write(waiting).then(() => undefined, onError);
    waiting = [];
    writing.add(written);
    void written.finally(() => writing.delete(written));
  }

  return {
    add(classificationId) {
      waiting.push(classificationId);
      if (waiting.length >= maxBatchSize) writeWaiting();
      else timer ??= setTimeout(writeWaiting, delayMs).unref();
    },
    async flush() {
      writeWaiting();
      await Promise.all(writing);
    },
  };
}

const maxBatchSize = 100;
