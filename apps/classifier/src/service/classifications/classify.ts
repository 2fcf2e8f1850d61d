import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { getCaller, canReachProject } from "@switchyard/access";
import { ClassificationSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type {
  Classification,
  ClassifierService,
  ClassifyRequest,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { ReadDocumentResponse } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { callOptions, invalid, notFound, problem } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import { toDocumentInput } from "../../domain/documents/document-input.ts";
import type { DocumentInput } from "../../domain/documents/document-input.ts";
import { placeRouted, placeUnrouted } from "../../domain/documents/placement.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import type { ClassificationRecord } from "../../store/classifications.ts";
import type { Dependencies } from "../dependencies.ts";
import { assertUsable, findConfiguration } from "../lookup.ts";
import { place, placementGraceMs } from "./placements.ts";
import { exclusionReasons } from "../reasons.ts";
import { optional, toOutcome } from "./outcome.ts";
import { routeDocument } from "./routing.ts";
import type { Routing } from "./routing.ts";
import { resolveTargets } from "../routes/targets.ts";
import type { Targets } from "../routes/targets.ts";
import { getWarnings } from "./warnings.ts";

type Rpcs = Pick<ServiceImpl<typeof ClassifierService>, "classify">;

/** The engine that routes documents. */
const engineName = "local";

/** Creates the RPC that classifies a document. */
export function createClassifyRpc(dependencies: Dependencies): Rpcs {
  const { classifications, targets, documents, scorers, now } = dependencies;
  return {
    async classify(request, context) {
      const started = performance.now();
      const classifier = await findConfiguration(dependencies, request.classifierId, context);
      const caller = getCaller(context);
      assertUsable(classifier, context);
      const input = requireValid(toDocumentInput(request));
      const maxPages = classifier.settings.pages ?? 0;
      const [resolved, read] = await Promise.all([
        resolveTargets(targets, classifier.routes, callOptions(context)),
        documents.readDocument({ document: toDocumentMessage(input), maxPages }, callOptions(context)),
      ]);
      const readDone = performance.now();
      const routing = await routeDocument(classifier, resolved, scorers, read);
      const timings = { readMs: getElapsedMs(started, readDone), classifyMs: getElapsedMs(readDone), totalMs: 0 };
      const record = toRecord({ request, classifier, caller, resolved, read, routing, timings, at: now() });
      timings.totalMs = getElapsedMs(started);
      record.classification.timings = { $typeName: "switchyard.classifier.v1.Timings", ...timings };
      const toResponse = () => redactEvidence(caller, classifier, record.classification);
      if (!(await classifications.insert(record, toResponse))) {
        throw notFound("classifier", classifier._id, "classifierId");
      }
      return redactEvidence(caller, classifier, await placeNow(dependencies, record, context));
    },
  };
}

/** Returns the milliseconds between two moments, rounded to the microsecond, which is the precision of the measurement. */
function getElapsedMs(from: number, to: number = performance.now()): number {
  return Math.round((to - from) * 1_000) / 1_000;
}

type ValidInput = Extract<DocumentInput, { kind: "file" | "inline" }>;

function requireValid(input: DocumentInput): ValidInput {
  switch (input.kind) {
    case "invalid":
      throw invalid(input.violations, input.reason);
    case "too-large": {
      const message = `must have at most ${input.limit} bytes, has ${input.bytes}`;
      const violations = [{ field: input.field, message }];
      throw problem(Code.ResourceExhausted, "PAYLOAD_TOO_LARGE", `${input.field} ${message}`, { violations });
    }
    default:
      return input;
  }
}

function toDocumentMessage(input: ValidInput) {
  if (input.kind === "file") return { case: "fileId" as const, value: input.fileId };
  const { filename, contentType, data } = input;
  return { case: "content" as const, value: { filename, contentType, data } };
}

interface RecordInput {
  request: ClassifyRequest;
  classifier: ClassifierConfiguration;
  caller: Caller;
  resolved: Targets;
  read: ReadDocumentResponse;
  routing: Routing;
  timings: { readMs: number; classifyMs: number; totalMs: number };
  at: Date;
}

/** Creates the record of a classification. It fixes the IDs of the extraction and of a new file, so that retries have the same effect. */
function toRecord({
  request,
  classifier,
  caller,
  resolved,
  read,
  routing,
  timings,
  at,
}: RecordInput): ClassificationRecord {
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
  const extract = route !== undefined && request.extract !== false;
  const classification = create(ClassificationSchema, {
    id: newId("cls"),
    classifierId: classifier._id,
    fileId: placed.fileId,
    ...optional("sourceFileId", placed.sourceFileId),
    filename: read.file?.filename ?? "",
    ...optional("externalId", request.externalId),
    ...optional("projectId", placed.projectId),
    ...toOutcome(decision, route, target),
    ...optional("confidence", decision.confidence),
    ...optional("threshold", decision.threshold),
    ...optional("margin", decision.margin),
    scores: routing.scores.map((score) => ({
      routeId: score.routeId,
      routeName: classifier.routes.find(({ id }) => id === score.routeId)?.name ?? "",
      ...optional("score", score.score),
      eligible: score.excluded === null,
      ...optional("ineligibleReason", score.excluded === null ? null : exclusionReasons[score.excluded]),
      ...(request.explain && score.score !== null ? { evidence: { terms: [...score.evidence] } } : {}),
    })),
    ...(extract ? { extraction: { id: newId("ext"), status: ExtractionStatus.RUNNING } } : {}),
    engine: { name: engineName, ...routing.engine },
    timings,
    createdAt: timestampFromDate(at),
    createdBy: caller.userId,
    warnings: getWarnings(read, classifier.settings),
  });
  // A file that already is in its project needs no more work, unless it is to be extracted.
  const isComplete = !extract && placed.sourceFileId === null && placed.projectId === file.projectId;
  return {
    classification,
    organizationId: classifier.organizationId,
    tokenId: caller.tokenId,
    placement: isComplete
      ? undefined
      : { sourceFileId: file.id, extract, dueAt: new Date(at.getTime() + placementGraceMs) },
  };
}

/** Places the document at once. If that fails, the sweep retries it, because the record says that it is still to be done. */
async function placeNow(
  dependencies: Dependencies,
  record: ClassificationRecord,
  context: HandlerContext,
): Promise<Classification> {
  if (record.placement === undefined) return record.classification;
  dependencies.placementSweep.touch();
  try {
    const placed = await place(dependencies, record, callOptions(context));
    dependencies.placedMarks.add(placed.id);
    return placed;
  } catch (error) {
    dependencies.onDeferred(error);
    return record.classification;
  }
}

/** Removes the evidence for routes into projects that the caller cannot reach, because it quotes examples and columns of the project. */
export function redactEvidence(
  caller: Caller,
  classifier: ClassifierConfiguration | undefined,
  record: Classification,
): Classification {
  const projectByRoute = new Map(classifier?.routes.map(({ id, projectId }) => [id, projectId]));
  for (const score of record.scores) {
    const projectId = projectByRoute.get(score.routeId);
    if (projectId === undefined || !canReachProject(caller, projectId)) delete score.evidence;
  }
  return record;
}
