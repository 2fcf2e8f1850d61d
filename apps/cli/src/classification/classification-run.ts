import { ApiError, calls, ConnectionError, TimeoutError, type Classification, type Client } from "@switchyard/client";
import type { DocumentSource } from "../documents/documents.ts";
import { getExitCode, exitCodes } from "../terminal/exit-codes.ts";
import { loadDocument } from "../documents/file-bytes.ts";
import { eachInOrder } from "./in-order.ts";
import type { Io } from "../terminal/io.ts";
import { digest, type Journal } from "./journal.ts";

/** What became of a document. */
export type RunOutcome =
  | { readonly kind: "classified"; readonly record: Classification; readonly answer: string; readonly before: boolean }
  | { readonly kind: "failed"; readonly error: unknown };

/** How many documents became what. */
export interface RunCounts {
  readonly total: number;
  readonly classified: number;
  readonly unclassified: number;
  readonly failed: number;
  /** Not begun, since the server or the token fails. */
  readonly notSent: number;
  /** Of those classified or unclassified, how many are of an earlier run. */
  readonly before: number;
  /** The exit code of what failed; 0 when nothing did. */
  readonly exitCode: number;
}

/** What a run works with. */
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
 * Classifies documents, at most `concurrency` at once, and reports each in the order given. A document that fails by itself does
 * not stop the others; a server that is gone, or a token that does not do, does. What the journal holds is not sent again.
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
      if (stops(error) || settings.io.signal.aborted) stopped ??= getExitCode(error);
      return { kind: "failed", error };
    }
  };
  const begun = await eachInOrder(
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
  return { total: documents.length, ...counts, notSent: documents.length - begun, exitCode };
}

async function classifyOne(document: DocumentSource, settings: RunSettings): Promise<RunOutcome> {
  const { client, classifierId, extract, explain, journal, io, stdinName } = settings;
  const { filename, bytes } = await loadDocument(document, io, stdinName, calls.classify.maxFileBytes);
  // Standard input has no place to be found again at, so it is sent whenever it is given.
  const known = document.kind === "file" ? { path: document.path, sha256: digest(bytes) } : undefined;
  const recorded = known === undefined ? undefined : journal.recorded(known);
  if (recorded !== undefined)
    return { kind: "classified", record: JSON.parse(recorded) as Classification, answer: recorded, before: true };
  const file = { filename, data: bytes };
  const idempotencyKey = known === undefined ? undefined : journal.getKey(known);
  const request = { classifierId, extract, explain, file };
  const sent = await whenKeyIsFree(() => client.exchange("classify", request, { signal: io.signal, idempotencyKey }));
  const answer = sent.text();
  if (known !== undefined) await journal.record(known, answer);
  return { kind: "classified", record: JSON.parse(answer) as Classification, answer, before: false };
}

/**
 * The same request under its key is still being answered, or a server that was killed has left the key behind, which it gives free
 * within seconds (a MongoDB within a minute). The document is ours, so it is asked for until then; nothing happens twice.
 */
async function whenKeyIsFree<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (const patience = Date.now() + 90_000; ;) {
    try {
      return await ask();
    } catch (error) {
      const inUse = error instanceof ApiError && error.code === "IDEMPOTENCY_KEY_IN_USE";
      if (!inUse || Date.now() > patience) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Whether what failed will fail for every other document as well. A document that takes too long says nothing of the others. */
function stops(error: unknown): boolean {
  if (error instanceof TimeoutError) return false;
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && [401, 403, 404, 410, 429, 502, 503].includes(error.status);
}
