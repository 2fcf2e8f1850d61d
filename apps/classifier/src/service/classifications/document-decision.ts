import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  ReadDocumentRequestSchema,
  ReadDocumentResponse,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { callOptions } from "@switchyard/rpc";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import type { Dependencies } from "../dependencies.ts";
import { resolveTargets } from "../routes/targets.ts";
import type { Targets } from "../routes/targets.ts";
import { routeDocument, throwUnavailable } from "./routing.ts";
import type { Routing } from "./routing.ts";

/** A document to decide: a stored file, that of a record, or an inline document. */
export type StoredOrInline = NonNullable<MessageInitShape<typeof ReadDocumentRequestSchema>["document"]>;

/** A document as it was read, the decision on it, and how long both took. */
export interface DecidedDocument {
  readonly read: ReadDocumentResponse;
  readonly resolved: Targets;
  readonly routing: Routing;
  readonly readMs: number;
  readonly classifyMs: number;
}

/** Throws UNAVAILABLE if too many documents already wait for the engine of a classifier. */
export function admit(engineChoice: Dependencies["engineChoice"], classifier: ClassifierConfiguration): void {
  try {
    engineChoice.admit(classifier);
  } catch (error) {
    throwUnavailable(error);
  }
}

/** Reads as much of a document as a classifier looks at. */
export function readForDecision(
  { documents }: Pick<Dependencies, "documents">,
  { settings }: ClassifierConfiguration,
  document: StoredOrInline,
  context: HandlerContext,
): Promise<ReadDocumentResponse> {
  return documents.readDocument({ document, maxPages: settings.pages ?? 0 }, callOptions(context));
}

/** Decides a document that is being read, with the current engine, routes and settings, within the deadline of the call. Stores nothing. */
export async function decideDocument(
  { targets, engineChoice }: Pick<Dependencies, "targets" | "engineChoice">,
  classifier: ClassifierConfiguration,
  reading: Promise<ReadDocumentResponse>,
  explain: boolean,
  context: HandlerContext,
): Promise<DecidedDocument> {
  const started = performance.now();
  const [resolved, read] = await Promise.all([
    resolveTargets(targets, classifier.routes, callOptions(context)),
    reading,
  ]);
  const readDone = performance.now();
  const engines = engineChoice.open(classifier, resolved, context);
  const routing = await routeDocument(classifier, resolved, engines, read, explain);
  return { read, resolved, routing, readMs: getElapsedMs(started, readDone), classifyMs: getElapsedMs(readDone) };
}

/** Returns the milliseconds between two moments, rounded to the microsecond, which is the precision of the measurement. */
export function getElapsedMs(from: number, to: number = performance.now()): number {
  return Math.round((to - from) * 1_000) / 1_000;
}
