import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CallOptions, Client, ServiceImpl } from "@connectrpc/connect";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import {
  ExtractionForReviewSchema,
  ListExtractionsForReviewResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import type { ExtractionReviewService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import { callOptions, invalid } from "@switchyard/rpc";
import type { CurrentValuesStore, ListedReview } from "../../store/values/current-values.ts";

/** The maximum size of a page of the API and one more, which shows whether another page follows. */
const maxLimit = 501;

/** Creates the methods of the review list for other services. */
export function createReviewMethods({
  currentValues,
  targets,
}: {
  currentValues: Pick<CurrentValuesStore, "listReviews" | "dismissModel">;
  targets: Pick<Client<typeof TargetService>, "resolveTargets">;
}): ServiceImpl<typeof ExtractionReviewService> {
  /** Returns those of the models that exist. The extractions of the others leave the list, because nothing can be accepted for them. */
  async function findExisting(modelIds: ReadonlySet<string>, options: CallOptions): Promise<Set<string>> {
    if (modelIds.size === 0) return new Set();
    const references = [...modelIds].map((modelId) => ({ modelId, deploymentId: "" }));
    const resolved = await targets.resolveTargets({ targets: references }, options);
    const existing = new Set(resolved.targets.flatMap(({ model }) => model?.id ?? []));
    for (const id of modelIds) if (!existing.has(id)) await currentValues.dismissModel(id);
    return existing;
  }

  /** Lists extractions, without those of models that were deleted. */
  async function list(
    projectId: string,
    limit: number,
    after: string | undefined,
    options: CallOptions,
  ): Promise<ListedReview[]> {
    const kept: ListedReview[] = [];
    for (let start = after; ;) {
      const count = limit - kept.length;
      const found = await currentValues.listReviews({ projectId, limit: count, after: start });
      const existing = await findExisting(new Set(found.map(({ modelId }) => modelId)), options);
      kept.push(...found.filter(({ modelId }) => existing.has(modelId)));
      start = found.at(-1)?.position;
      if (found.length < count || kept.length === limit) return kept;
    }
  }

  return {
    async listExtractionsForReview({ projectId, limit, after }, context) {
      if (projectId === "") throw invalid([{ field: "projectId", message: "is required" }]);
      if (limit < 1 || limit > maxLimit) throw invalid([{ field: "limit", message: `must be 1 to ${maxLimit}` }]);
      const found = await list(projectId, limit, after === "" ? undefined : after, callOptions(context));
      return create(ListExtractionsForReviewResponseSchema, {
        extractions: found.map(({ review, createdAt, ...each }) =>
          create(ExtractionForReviewSchema, {
            ...each,
            reason: review.reason,
            message: review.message,
            ...(review.confidence === null ? {} : { confidence: review.confidence }),
            urgency: review.urgency,
            createdAt: timestampFromDate(createdAt),
          }),
        ),
      });
    },
  };
}
