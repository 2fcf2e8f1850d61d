import { ApiError, calls, parseJsonBody, type Classification, type Client } from "@switchyard/client";
import type { DocumentSource } from "../documents/documents.ts";
import { affectsAllDocuments } from "../documents/failures.ts";
import { getExitCode, exitCodes } from "../terminal/exit-codes.ts";
import { loadDocument } from "../documents/file-bytes.ts";
import { runInOrder } from "./in-order.ts";
import type { Io } from "../terminal/io.ts";
import { digest, type Journal } from "./journal.ts";

/** The outcome of a document. */
export type RunOutcome =
  | {
      readonly kind: "classified";
      readonly record: Classification;
      readonly response: string;
      readonly before: boolean;
    }
  | { readonly kind: "failed"; readonly error: unknown };

/** The numbers of documents by outcome. */
export interface RunCounts {
  readonly total: number;
  readonly classified: number;
  readonly unclassified: number;
  readonly failed: number;
  /** Documents that were not sent because the server or the token failed. */
  readonly notSent: number;
  /** How many of the classified and unclassified documents are from an earlier run. */
  readonly before: number;
  /** The exit code of the failures; 0 if nothing failed. */
  readonly exitCode: number;
}

/** The settings of a run. */
export interface RunSettings {
  readonly client: Client;
  readonly classifierId: string;
  readonly extract: boolean;
  readonly explain: boolean;
  readonly concurrency: number;
  readonly stdinName: string;
  readonly journal: Journal;
  readonly io: Io;
}

/**
 * Classifies documents, at most `concurrency` at a time, and reports them in the given order. The failure of a single document does not
 * stop the run; an unavailable server or an insufficient token does. Documents that are in the journal are not sent again.
 */
export async function runClassification(
  documents: readonly DocumentSource[],
  settings: RunSettings,
  report: (outcome: RunOutcome, document: DocumentSource) => void,
): Promise<RunCounts> {
  const counts = { classified: 0, unclassified: 0, failed: 0, before: 0 };
  const codes = new Set<number>();
  let stopped: number | undefined;
  const task = async (document: DocumentSource): Promise<RunOutcome> => {
    try {
      return await classifyOne(document, settings);
    } catch (error) {
      if (affectsAllDocuments(error) || settings.io.signal.aborted) stopped ??= getExitCode(error);
      return { kind: "failed", error };
    }
  };
  const started = await runInOrder(
    documents,
    settings.concurrency,
    task,
    (outcome, document) => {
      if (outcome.kind === "failed") {
        counts.failed += 1;
        codes.add(getExitCode(outcome.error));
      } else {
        counts[outcome.record.status === "CLASSIFIED" ? "classified" : "unclassified"] += 1;
        if (outcome.before) counts.before += 1;
      }
      report(outcome, document);
    },
    () => stopped === undefined,
  );
  const [only = exitCodes.done] = codes;
  const exitCode = settings.io.signal.aborted
    ? exitCodes.interrupted
    : (stopped ?? (codes.size > 1 ? exitCodes.error : only));
  return { total: documents.length, ...counts, notSent: documents.length - started, exitCode };
}

async function classifyOne(document: DocumentSource, settings: RunSettings): Promise<RunOutcome> {
  const { client, classifierId, extract, explain, journal, io, stdinName } = settings;
  const { filename, bytes } = await loadDocument(document, io, stdinName, calls.classify.maxFileBytes);
  // Standard input has no path to identify it by, so it is always sent.
  const known = document.kind === "file" ? { path: document.path, sha256: digest(bytes) } : undefined;
  const recorded = known === undefined ? undefined : await journal.recorded(known);
  if (recorded !== undefined)
    return { kind: "classified", record: JSON.parse(recorded) as Classification, response: recorded, before: true };
  const file = { filename, data: bytes };
  const idempotencyKey = known === undefined ? undefined : journal.getKey(known);
  const request = { classifierId, extract, explain, file };
  const sent = await retryWhileKeyInUse(() =>
    client.exchange("classify", request, { signal: io.signal, idempotencyKey }),
  );
  const response = sent.text();
  // Before it is recorded: what a proxy sends in place of the server would be repeated by every later run.
  const record = parseJsonBody(sent) as Classification;
  if (known !== undefined) await journal.record(known, response);
  return { kind: "classified", record, response, before: false };
}

/**
 * Repeats a request while its idempotency key is in use: because an earlier attempt is still in progress, or because the server was
 * killed, which releases the key within seconds (on MongoDB within a minute). The key ensures that nothing happens twice.
 */
async function retryWhileKeyInUse<Result>(send: () => Promise<Result>): Promise<Result> {
  for (const deadline = Date.now() + 90_000; ;) {
    try {
      return await send();
    } catch (error) {
      const inUse = error instanceof ApiError && error.code === "IDEMPOTENCY_KEY_IN_USE";
      if (!inUse || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
