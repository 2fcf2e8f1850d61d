import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { ClassificationSchema, TimingsSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ReadDocumentResponse } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { newId } from "@switchyard/storage";
import { placeRouted, placeUnrouted } from "../../domain/documents/placement.ts";
import { findReviewNeed } from "../../domain/review/review-need.ts";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Targets } from "../routes/targets.ts";
import { admit, decideDocument, getElapsedMs, readForDecision } from "./document-decision.ts";
import type { StoredOrInline } from "./document-decision.ts";
import { optional, toEngineMessage, toFigures, toOutcome, toScoreMessages, toUsageMessage } from "./outcome.ts";
import { placementGraceMs } from "./placements.ts";
import type { Routing } from "./routing.ts";
import { getWarnings } from "./warnings.ts";

const discardTimeoutMs = 2_000;

/** A document to classify, and what a request asks for besides. */
export interface Order {
  document: StoredOrInline;
  extract: boolean;
  explain: boolean;
  externalId: string | undefined;
  /** The record whose document is classified again. */
  retryOf?: string;
}

/** The record of a document, which is not stored yet and has no ID (see `storeRecords`). */
export interface PreparedRecord {
  readonly record: ClassificationRecord;
  /** Removes a document that was sent inline, which was stored to be read. For a record that will not be stored. Never rejects. */
  readonly discard: () => Promise<void>;
}

/** Reads and decides a document. If that fails, nothing remains of a document that was sent inline. */
export async function prepareRecord(
  dependencies: Dependencies,
  classifier: ClassifierConfiguration,
  order: Order,
  context: HandlerContext,
): Promise<PreparedRecord> {
  const { documents, engineChoice } = dependencies;
  // Before the document is read, and an inline one stored.
  admit(engineChoice, classifier);
  const reading = readForDecision(dependencies, classifier, order.document, context);
  const discard = async (): Promise<void> => {
    if (order.document.case === "content") await discardDocument(documents, reading);
  };
  try {
    return { record: await decideRecord(dependencies, classifier, order, reading, context), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function decideRecord(
  dependencies: Dependencies,
  classifier: ClassifierConfiguration,
  order: Order,
  reading: Promise<ReadDocumentResponse>,
  context: HandlerContext,
): Promise<ClassificationRecord> {
  const started = performance.now();
  const { readMs, classifyMs, ...decided } = await decideDocument(
    dependencies,
    classifier,
    reading,
    order.explain,
    context,
  );
  const record = toRecord({
    order,
    classifier,
    caller: getCaller(context),
    ...decided,
    at: dependencies.now(),
  });
  const totalMs = getElapsedMs(started);
  record.classification.timings = create(TimingsSchema, { readMs, classifyMs, totalMs });
  return record;
}

/**
 * Removes an inline document that was stored to be read. The time limit is its own, because the call may have ended. If it fails, the
 * document stays until its retention period ends.
 */
async function discardDocument(
  documents: Pick<Dependencies["documents"], "discardDocument">,
  reading: Promise<ReadDocumentResponse>,
): Promise<void> {
  try {
    const { file } = await reading;
    if (file !== undefined) await documents.discardDocument({ fileId: file.id }, { timeoutMs: discardTimeoutMs });
  } catch {
    return;
  }
}

interface RecordInput {
  order: Order;
  classifier: ClassifierConfiguration;
  caller: Caller;
  resolved: Targets;
  read: ReadDocumentResponse;
  routing: Routing;
  at: Date;
}

/**
 * Creates the record of a classification, without its timings and its ID. It fixes the IDs of the extraction and of a new file, so that
 * retries have the same effect.
 */
function toRecord({ order, classifier, caller, resolved, read, routing, at }: RecordInput): ClassificationRecord {
  const { decision } = routing;
  const file = { id: read.file?.id ?? "", projectId: read.file?.projectId ?? null };
  const route =
    decision.status === "CLASSIFIED" ? classifier.routes.find(({ id }) => id === decision.routeId) : undefined;
  const target = route === undefined ? undefined : resolved.get(route);
  const tokenProject = caller.scope === TokenScope.PROJECT ? (caller.projectIds[0] ?? null) : null;
  const placed =
    route === undefined
      ? placeUnrouted(file, classifier.projectId, tokenProject)
      : placeRouted(file, route.projectId, () => newId("fil"));
  const extract = route !== undefined && order.extract;
  const classification = create(ClassificationSchema, {
    classifierId: classifier._id,
    fileId: placed.fileId,
    ...optional("sourceFileId", placed.sourceFileId),
    filename: read.file?.filename ?? "",
    ...optional("externalId", order.externalId),
    ...optional("retryOf", order.retryOf),
    ...optional("projectId", placed.projectId),
    ...toOutcome(decision, route, target),
    ...toFigures(decision),
    scores: toScoreMessages(routing.scores, classifier.routes, order.explain),
    ...(extract ? { extraction: { id: newId("ext"), status: ExtractionStatus.RUNNING } } : {}),
    engine: toEngineMessage(routing.engine),
    ...optional("usage", toUsageMessage(routing.usage)),
    createdBy: caller.userId,
    warnings: getWarnings(read, classifier.settings, placed.projectId),
  });
  // A file that already is in its project needs no more work, unless it is to be extracted.
  const isComplete = !extract && placed.sourceFileId === null && placed.projectId === file.projectId;
  return {
    classification,
    organizationId: classifier.organizationId,
    tokenId: caller.tokenId,
    projectId: placed.projectId,
    reviewNeed: findReviewNeed(decision) ?? undefined,
    choices: routing.choices,
    // A review for the project of the given file finds it there.
    ...(placed.sourceFileId === null || file.projectId === null
      ? {}
      : { placedFiles: [{ projectId: file.projectId, fileId: placed.sourceFileId }] }),
    placement: isComplete
      ? undefined
      : { sourceFileId: file.id, extract, dueAt: new Date(at.getTime() + placementGraceMs) },
  };
}
