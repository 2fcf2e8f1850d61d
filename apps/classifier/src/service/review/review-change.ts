import { create } from "@bufbuild/protobuf";
import type { CallOptions, HandlerContext } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { ClassificationExtractionSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { ClassificationExtraction } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { callOptions } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import { placeReviewed } from "../../domain/review/reviewed-file.ts";
import { toLongExcerpt } from "../../domain/engines/language-model/excerpt.ts";
import { MAX_LEARNED_CHARACTERS } from "../../domain/learning/labeled-text.ts";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { ClassifierConfiguration, RouteDocument } from "../../store/classifier-document.ts";
import type { Review } from "../../store/reviews/reviews.ts";
import { throwFileGone } from "../classifications/classify.ts";
import { optional } from "../classifications/outcome.ts";
import { placementGraceMs } from "../classifications/placements.ts";
import type { Dependencies } from "../dependencies.ts";
import { getSchemaId, resolveTargets } from "../routes/targets.ts";

/** A review of a record. `route` is undefined if the document belongs to no route. */
export interface ReviewRequest {
  classifier: ClassifierConfiguration;
  record: ClassificationRecord;
  route: RouteDocument | undefined;
  extract: boolean;
}

/** Determines where a reviewed document belongs, and whether it is still to be extracted there. Throws FILE_GONE if its file was deleted. */
export async function createReviewChange(
  { documents, targets, now }: Pick<Dependencies, "documents" | "targets" | "now">,
  { classifier, record, route, extract }: ReviewRequest,
  context: HandlerContext,
): Promise<Omit<Review, "review">> {
  const options = callOptions(context);
  const { fileId, id } = record.classification;
  const maxPages = classifier.settings.pages ?? 0;
  const [read, resolved] = await Promise.all([
    documents
      .readDocument({ document: { case: "recordedFileId", value: fileId }, maxPages }, options)
      .catch(throwFileGone),
    route === undefined ? undefined : resolveTargets(targets, [route], options),
  ]);
  // What is learned from, and what language models are asked about again.
  const text = toLongExcerpt(read.text, MAX_LEARNED_CHARACTERS);
  const { placedFiles = [], projectId, choices = [] } = record;
  const learned = { id, classifierId: classifier._id, routeId: route?.id ?? null, text, choices };
  if (route === undefined) {
    const unplaced = { extraction: undefined, placement: undefined, placedFiles, projectId };
    return { ...unplaced, learned: { ...learned, fileIds: [fileId] } };
  }
  const file = { id: fileId, projectId: read.file?.projectId ?? null };
  const placed = placeReviewed(file, placedFiles, route.projectId, () => newId("fil"));
  const byTarget = { fileId: placed.fileId, modelId: route.modelId, ...optional("deploymentId", route.deploymentId) };
  const found = placed.isNew ? undefined : await findExtraction(documents, byTarget, options);
  const schemaId = getSchemaId(route, resolved?.get(route)) ?? "";
  const started = extract && found === undefined && schemaId !== "" ? createExtraction() : undefined;
  return {
    extraction: found ?? started,
    placement: {
      sourceFileId: fileId,
      extract: started !== undefined,
      dueAt: new Date(now().getTime() + placementGraceMs),
      review: {
        ...byTarget,
        projectId: route.projectId,
        schemaId,
        extractionId: started?.id ?? "",
        createdBy: getCaller(context).userId,
      },
    },
    placedFiles: placed.files,
    projectId: projectId ?? route.projectId,
    learned: { ...learned, fileIds: [...new Set([fileId, placed.fileId])] },
  };
}

/** Finds the extraction of a file by a target. */
async function findExtraction(
  documents: Dependencies["documents"],
  byTarget: { fileId: string; modelId: string; deploymentId?: string },
  options: CallOptions,
): Promise<ClassificationExtraction | undefined> {
  const { extractionId: id, status } = await documents.findExtraction(byTarget, options);
  return id === "" ? undefined : create(ClassificationExtractionSchema, { id, status });
}

function createExtraction(): ClassificationExtraction {
  return create(ClassificationExtractionSchema, { id: newId("ext"), status: ExtractionStatus.RUNNING });
}
