import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { canReachProject, getCaller } from "@switchyard/access";
import type { Classification, ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions, conflict, getProblemFacts, invalid, problem } from "@switchyard/rpc";
import { toDocumentInput } from "../../domain/documents/document-input.ts";
import type { DocumentInput } from "../../domain/documents/document-input.ts";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import type { Dependencies } from "../dependencies.ts";
import { assertUsable, findConfiguration } from "../lookup.ts";
import { prepareRecord } from "./new-record.ts";
import type { Order, PreparedRecord } from "./new-record.ts";
import { markPlaced, place, settle } from "./placements.ts";
import { findReadable, redactEvidence } from "./record-access.ts";
import { storeRecords } from "./storing.ts";

type Rpcs = Pick<ServiceImpl<typeof ClassifierService>, "classify" | "reclassify">;

/** Creates the RPCs that classify one document. */
export function createClassifyRpcs(dependencies: Dependencies): Rpcs {
  return {
    async classify(request, context) {
      const classifier = await findConfiguration(dependencies, request.classifierId, context);
      assertUsable(classifier, context);
      const document = toDocumentMessage(requireValid(toDocumentInput(request)));
      const { extract = true, explain, externalId } = request;
      const order = { document, extract, explain, externalId };
      return store(dependencies, classifier, await prepareRecord(dependencies, classifier, order, context), context);
    },

    async reclassify({ classifierId, classificationId, extract = true, explain }, context) {
      const classifier = await findConfiguration(dependencies, classifierId, context);
      const found = await findReadable(dependencies, { classifierId, classificationId }, context);
      assertUsable(classifier, context);
      const { classification, projectId } = await settle(dependencies, found, callOptions(context)).catch(
        throwFileGone,
      );
      // Evidence quotes the document. Like its explanation, it is only for callers who can reach the project of the file.
      const isReadable = projectId === null || canReachProject(getCaller(context), projectId);
      const order: Order = {
        document: { case: "recordedFileId", value: classification.fileId },
        ...{ extract, explain: explain && isReadable },
        ...{ externalId: classification.externalId, retryOf: classification.id },
      };
      const prepared = await prepareRecord(dependencies, classifier, order, context).catch(throwFileGone);
      return store(dependencies, classifier, prepared, context);
    },
  };
}

async function store(
  dependencies: Dependencies,
  classifier: ClassifierConfiguration,
  prepared: PreparedRecord,
  context: HandlerContext,
): Promise<Classification> {
  const caller = getCaller(context);
  const { record } = prepared;
  const toResponse = () => redactEvidence(caller, classifier, record.classification);
  await storeRecords(dependencies, classifier._id, [prepared], toResponse);
  return redactEvidence(caller, classifier, await placeNow(dependencies, record, context));
}

type ValidInput = Extract<DocumentInput, { kind: "file" | "inline" }>;

/** Returns a valid document; throws the problem of any other. */
export function requireValid(input: DocumentInput): ValidInput {
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

/** Returns the document as the reader takes it. */
export function toDocumentMessage(input: ValidInput) {
  if (input.kind === "file") return { case: "fileId" as const, value: input.fileId };
  const { filename, contentType, data } = input;
  return { case: "content" as const, value: { filename, contentType, data } };
}

/** Places the document of a record at once. If that fails, the sweep retries it, because the record says that it is still to be done. */
export async function placeNow(
  dependencies: Dependencies,
  record: ClassificationRecord,
  context: HandlerContext,
): Promise<Classification> {
  if (record.placement === undefined) return record.classification;
  dependencies.placementSweep.touch();
  try {
    const placed = await place(dependencies, record, callOptions(context));
    await markPlaced(dependencies, placed, record.placement);
    return placed;
  } catch (error) {
    dependencies.onDeferred(error);
    return record.classification;
  }
}

/** Throws FILE_GONE if the file of a record or its project was not found, and otherwise the error itself. */
export function throwFileGone(error: unknown): never {
  const isGone = ["FILE_NOT_FOUND", "PROJECT_NOT_FOUND"].includes(getProblemFacts(error).reason);
  throw isGone ? conflict("FILE_GONE", "The file of the record was deleted.") : error;
}
