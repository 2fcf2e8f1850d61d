import type { CompletedOutcome, ExtractionRecord } from "../../store/extractions.ts";
import type { FileRecord } from "../../store/files.ts";

/** An extraction that is not stored yet. */
export interface NewExtraction {
  readonly record: ExtractionRecord;
  readonly file: FileRecord;
  /** Stores it, with its result if it is completed, and returns it as it is stored. Returns undefined if it was stored before. */
  store(result?: CompletedResult): Promise<ExtractionRecord | undefined>;
}

/** The result of a new extraction, and the time at which it was completed. */
export interface CompletedResult {
  readonly outcome: CompletedOutcome;
  readonly at: Date;
}

/** Stores a new extraction once. */
export interface DeferredStore {
  /** Resolves when the extraction is stored, and rejects if that fails. */
  readonly stored: Promise<void>;
  /** Whether the extraction is being stored, or was. */
  hasBegun(): boolean;
  /** Stores the extraction, unless that has begun. Resolves with undefined if it failed or the extraction was stored before. */
  store(result?: CompletedResult): Promise<ExtractionRecord | undefined>;
}

/** Creates the object that stores a new extraction: without a result after a time, unless it was told to do so before. */
export function deferStore(extraction: NewExtraction, afterMs: number): DeferredStore {
  let storing: Promise<ExtractionRecord | undefined> | undefined;
  const stored = Promise.withResolvers<void>();
  // The caller may have gone when this fails.
  stored.promise.catch(() => undefined);
  const timer = setTimeout(() => void store(), afterMs);

  async function begin(result: CompletedResult | undefined): Promise<ExtractionRecord | undefined> {
    clearTimeout(timer);
    try {
      const record = await extraction.store(result);
      stored.resolve();
      return record;
    } catch (error) {
      stored.reject(error);
      return undefined;
    }
  }

  function store(result?: CompletedResult): Promise<ExtractionRecord | undefined> {
    return (storing ??= begin(result));
  }

  return { stored: stored.promise, hasBegun: () => storing !== undefined, store };
}
