import { toErrorFields, type ServerError } from "../errors.ts";
import { encode, parseWholeNumber, type Document } from "../values/values.ts";

/** The progress of a bulk write, and the contents of its reply. */
export interface BulkProgress {
  /** The number of completed statements. */
  done: number;
  n: number;
  nModified: number;
  /** The size of the messages and details of the errors, in bytes. */
  errorBytes: number;
  readonly upserted: Document[];
  readonly writeErrors: Document[];
}

/** Converts the stored progress of a bulk write, with the details that were stored one after the other, or creates a new one. */
export function toProgress(stored: Document = {}, details: readonly Document[] = []): BulkProgress {
  const { done = 0, n = 0, nModified = 0, errorBytes = 0 } = stored;
  const collect = (name: string): Document[] =>
    [stored, ...details].flatMap((each) => (each[name] ?? []) as Document[]);
  return {
    done: parseWholeNumber(done, "done"),
    n: parseWholeNumber(n, "n"),
    nModified: parseWholeNumber(nModified, "nModified"),
    errorBytes: parseWholeNumber(errorBytes, "errorBytes"),
    upserted: collect("upserted"),
    writeErrors: collect("writeErrors"),
  };
}

/** Once the errors have more bytes than this, only the codes of further ones are reported: a reply must fit in a document. */
const maxErrorBytes = 8 * 1024 * 1024;

/** Adds the error of the current statement to the progress. */
export function addError(progress: BulkProgress, error: ServerError): void {
  const { done: index, writeErrors, errorBytes } = progress;
  const complete: Document = { index, ...toErrorFields(error) };
  const bytes = errorBytes + encode(complete).length;
  if (writeErrors.length > 0 && bytes > maxErrorBytes) {
    writeErrors.push({ index, code: complete["code"], codeName: error.codeName, errmsg: "" });
    return;
  }
  writeErrors.push(complete);
  progress.errorBytes = bytes;
}
