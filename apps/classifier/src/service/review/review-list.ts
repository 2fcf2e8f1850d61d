import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller, getReadableClassifications } from "@switchyard/access";
import {
  ListReviewResponseSchema,
  ReviewItemSchema,
  ReviewKind,
} from "@switchyard/contracts/switchyard/classifier/v1/review";
import type { ReviewItem, ReviewService } from "@switchyard/contracts/switchyard/classifier/v1/review";
import { ReviewReason } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import type { ExtractionForReview } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import { callOptions } from "@switchyard/rpc";
import { openPage } from "@switchyard/storage";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { ReviewPosition } from "../../store/reviews/reviews.ts";
import { optional } from "../classifications/outcome.ts";
import type { Dependencies } from "../dependencies.ts";
import { findProject } from "../lookup.ts";

type Rpcs = Pick<ServiceImpl<typeof ReviewService>, "listReview">;

/** Creates the RPC that lists what a person should look at next. */
export function createReviewListRpc(dependencies: Dependencies): Rpcs {
  const { classifiers, reviews, extractionReviews, pageTokens } = dependencies;

  /** Lists records, without those of classifiers that were deleted. */
  async function listRecords(
    projectId: string,
    after: ReviewPosition | undefined,
    limit: number,
    context: HandlerContext,
  ): Promise<ClassificationRecord[]> {
    const caller = getCaller(context);
    const { organizationId } = caller;
    const classifierIds = await classifiers.listIdsOfUnplaced({ organizationId, projectId });
    const tokenId = getReadableClassifications(caller) === "all" ? undefined : caller.tokenId;
    const kept: ClassificationRecord[] = [];
    for (let start = after; ;) {
      const count = limit - kept.length;
      const found = await reviews.listNeeded({ projectId, classifierIds, tokenId, after: start, limit: count });
      const last = found.at(-1);
      if (last === undefined) return kept;
      const existing = await findExisting(found.map(({ classification }) => classification.classifierId));
      kept.push(...found.filter(({ classification }) => existing.has(classification.classifierId)));
      if (found.length < count || kept.length === limit) return kept;
      start = toPosition(last);
    }
  }

  /** Returns those of the classifiers that exist. The records of the others leave the list. */
  async function findExisting(classifierIds: readonly string[]): Promise<Set<string>> {
    const ids = [...new Set(classifierIds)];
    const existing = new Set((await classifiers.findConfigurations(ids)).map(({ _id }) => _id));
    for (const id of ids) if (!existing.has(id)) await reviews.dismissClassifier(id);
    return existing;
  }

  async function listExtractions(
    projectId: string,
    after: string | undefined,
    limit: number,
    context: HandlerContext,
  ): Promise<ExtractionForReview[]> {
    const request = { projectId, limit, ...(after === undefined ? {} : { after }) };
    return (await extractionReviews.listExtractionsForReview(request, callOptions(context))).extractions;
  }

  return {
    async listReview(request, context) {
      const { projectId, kind } = request;
      await findProject(dependencies, projectId, context);
      const page = openPage(pageTokens, { list: "review", projectId, kind }, request);
      const after: Positions = page.after === undefined ? {} : (JSON.parse(page.after) as Positions);
      const count = page.size + 1;
      const [records, extractions] = await Promise.all([
        kind === ReviewKind.EXTRACTION ? [] : listRecords(projectId, after.record, count, context),
        kind === ReviewKind.CLASSIFICATION ? [] : listExtractions(projectId, after.extraction, count, context),
      ]);
      const merged = mergeByRank(records.map(toRecordEntry), extractions.map(toExtractionEntry));
      const taken = merged.slice(0, page.size);
      const positions = taken.reduce<Positions>((all, { position }) => ({ ...all, ...position }), after);
      return create(ListReviewResponseSchema, {
        items: taken.map(({ item }) => item),
        ...(merged.length > page.size ? { nextPageToken: page.getToken(JSON.stringify(positions)) } : {}),
      });
    },
  };
}

/** The codes of the reasons why extractions are listed. */
const reasonCodes: Readonly<Record<number, string>> = {
  [ReviewReason.UNSPECIFIED]: "",
  [ReviewReason.CONTRADICTION]: "CONTRADICTION",
  [ReviewReason.MISSING_VALUE]: "MISSING_VALUE",
  [ReviewReason.LOW_CONFIDENCE]: "LOW_CONFIDENCE",
};

/** The last items of a page. */
interface Positions {
  record?: ReviewPosition;
  extraction?: string;
}

/** An item, its rank among both kinds, and its position in the list of its kind. */
interface Entry {
  readonly rank: number;
  readonly item: ReviewItem;
  readonly position: Positions;
}

/** Merges two lists that are in descending order of rank. Among equals, the records are first. */
function mergeByRank(records: readonly Entry[], extractions: readonly Entry[]): Entry[] {
  // Sorting is stable.
  return [...records, ...extractions].sort((left, right) => right.rank - left.rank);
}

/** The rank of an extraction whose values are certainly wrong or missing. Only a choice between two routes is more useful. */
const maxExtractionRank = 85;

function toPosition({ classification, reviewNeed }: ClassificationRecord): ReviewPosition {
  return { rank: reviewNeed?.rank ?? 0, id: classification.id };
}

function toRecordEntry(record: ClassificationRecord): Entry {
  const { classification, reviewNeed } = record;
  const { id, classifierId, fileId, filename, confidence, createdAt } = classification;
  const item = create(ReviewItemSchema, {
    kind: ReviewKind.CLASSIFICATION,
    classificationId: id,
    classifierId,
    fileId,
    filename,
    reason: { code: reviewNeed?.code ?? "", message: reviewNeed?.message ?? "" },
    ...optional("confidence", confidence),
    ...optional("createdAt", createdAt),
  });
  return { rank: reviewNeed?.rank ?? 0, item, position: { record: toPosition(record) } };
}

function toExtractionEntry(extraction: ExtractionForReview): Entry {
  const { extractionId, fileId, filename, reason, message, confidence, createdAt, urgency, position } = extraction;
  const item = create(ReviewItemSchema, {
    kind: ReviewKind.EXTRACTION,
    extractionId,
    fileId,
    filename,
    reason: { code: reasonCodes[reason] ?? "", message },
    ...optional("confidence", confidence),
    ...optional("createdAt", createdAt),
  });
  return { rank: urgency * maxExtractionRank, item, position: { extraction: position } };
}
