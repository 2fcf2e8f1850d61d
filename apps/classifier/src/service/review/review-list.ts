import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller, getReadableClassifications } from "@switchyard/access";
import {
  ListReviewResponseSchema,
  ReviewItemSchema,
  ReviewKind,
} from "@switchyard/contracts/switchyard/classifier/v1/review";
import type { ReviewItem, ReviewService } from "@switchyard/contracts/switchyard/classifier/v1/review";
import { openPage } from "@switchyard/storage";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import type { ReviewPosition } from "../../store/reviews/reviews.ts";
import { optional } from "../classifications/outcome.ts";
import type { Dependencies } from "../dependencies.ts";
import { findProject } from "../lookup.ts";

type Rpcs = Pick<ServiceImpl<typeof ReviewService>, "listReview">;

/** Creates the RPC that lists what a person should look at next. */
export function createReviewListRpc(dependencies: Dependencies): Rpcs {
  const { classifiers, reviews, pageTokens } = dependencies;

  /** Lists records, without those of classifiers that were deleted. */
  async function listRecords(
    projectId: string,
    after: ReviewPosition | undefined,
    limit: number,
    context: HandlerContext,
  ): Promise<ClassificationRecord[]> {
    const caller = getCaller(context);
    const { organizationId } = caller;
    const listed = await classifiers.list({ organizationId, projectId });
    const globalClassifierIds = listed.flatMap((each) => (each.projectId === null ? [each._id] : []));
    const tokenId = getReadableClassifications(caller) === "all" ? undefined : caller.tokenId;
    const kept: ClassificationRecord[] = [];
    for (let start = after; ;) {
      const count = limit - kept.length;
      const found = await reviews.listNeeded({ projectId, globalClassifierIds, tokenId, after: start, limit: count });
      const existing = await findExisting(found.map(({ classification }) => classification.classifierId));
      kept.push(...found.filter(({ classification }) => existing.has(classification.classifierId)));
      const last = found.at(-1);
      if (last === undefined || found.length < count || kept.length === limit) return kept;
      start = toPosition(last);
    }
  }

  /** Returns those of the classifiers that exist. The records of the others leave the list. */
  async function findExisting(classifierIds: readonly string[]): Promise<Set<string>> {
    const existing = new Set<string>();
    for (const id of new Set(classifierIds)) {
      if ((await classifiers.findConfiguration(id)) !== undefined) existing.add(id);
      else await reviews.dismissClassifier(id);
    }
    return existing;
  }

  return {
    async listReview(request, context) {
      const { projectId, kind } = request;
      await findProject(dependencies, projectId, context);
      const page = openPage(pageTokens, { list: "review", projectId, kind }, request);
      const after = page.after === undefined ? undefined : (JSON.parse(page.after) as ReviewPosition);
      const records = kind === ReviewKind.EXTRACTION ? [] : await listRecords(projectId, after, page.size + 1, context);
      const { items, ...next } = page.take(records, (record) => JSON.stringify(toPosition(record)));
      return create(ListReviewResponseSchema, { items: items.map(toItem), ...next });
    },
  };
}

function toPosition({ classification, reviewNeed }: ClassificationRecord): ReviewPosition {
  return { rank: reviewNeed?.rank ?? 0, id: classification.id };
}

function toItem({ classification, reviewNeed }: ClassificationRecord): ReviewItem {
  const { id, fileId, filename, confidence, createdAt } = classification;
  return create(ReviewItemSchema, {
    kind: ReviewKind.CLASSIFICATION,
    classificationId: id,
    fileId,
    filename,
    reason: { code: reviewNeed?.code ?? "", message: reviewNeed?.message ?? "" },
    ...optional("confidence", confidence),
    ...optional("createdAt", createdAt),
  });
}
