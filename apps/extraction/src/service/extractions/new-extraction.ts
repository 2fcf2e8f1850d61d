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

/** An extraction that has ended, with its values if it is completed. */
export interface EndedExtraction {
  record: ExtractionRecord;
  tables: Uint8Array | null;
}

/** The first attempt at a new extraction. */
export interface FirstRun {
  /** Resolves when the extraction is stored, and rejects if that fails. */
  readonly stored: Promise<void>;
  /** Resolves like `run`, and also with undefined if the extraction could not be stored or was stored before. */
  readonly ended: Promise<EndedExtraction | undefined>;
}

/** Stores a new extraction once. */
export interface DeferredStore {
  /** Resolves when the extraction is stored, and rejects if that fails. */
  readonly stored: Promise<void>;
  /** Is aborted when the extraction could not be stored or was stored before, so that nobody needs its result. */
  readonly abandoned: AbortSignal;
  /** Whether the extraction is being stored, or was. */
  hasBegun(): boolean;
  /** Stores the extraction, unless that has begun. Resolves with undefined if it failed or the extraction was stored before. */
  store(result?: CompletedResult): Promise<ExtractionRecord | undefined>;
}

/** Creates the object that stores a new extraction: without a result after a time, unless it was told to do so before. */
export function deferStore(extraction: NewExtraction, afterMs: number): DeferredStore {
  let storing: Promise<ExtractionRecord | undefined> | undefined;
  const stored = Promise.withResolvers<void>();
  const abandoning = new AbortController();
  // The caller may have gone when this fails.
  stored.promise.catch(() => undefined);
  const timer = setTimeout(() => void store(), afterMs);

  async function begin(result: CompletedResult | undefined): Promise<ExtractionRecord | undefined> {
    clearTimeout(timer);
    try {
      const record = await extraction.store(result);
      if (record === undefined) abandoning.abort();
      stored.resolve();
      return record;
    } catch (error) {
      abandoning.abort();
      stored.reject(error);
      return undefined;
    }
  }

  function store(result?: CompletedResult): Promise<ExtractionRecord | undefined> {
    return (storing ??= begin(result));
  }

  return { stored: stored.promise, abandoned: abandoning.signal, hasBegun: () => storing !== undefined, store };
}
