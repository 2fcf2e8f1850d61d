import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeletedProjects } from "@switchyard/change-feed";
import {
  AcknowledgeChangedModelsResponseSchema,
  ListChangedModelsResponseSchema,
  SetReviewThresholdsResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/review_thresholds";
import type { ReviewThresholdService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review_thresholds";
import { invalid } from "@switchyard/rpc";
import type { Storage, Sweep } from "@switchyard/storage";
import type { ReviewThresholdStore } from "../../store/values/review-thresholds.ts";

/** The dependencies of the methods. */
export interface ReviewThresholdDependencies {
  storage: Pick<Storage, "atomically">;
  deletedProjects: Pick<DeletedProjects, "has">;
  reviewThresholds: ReviewThresholdStore;
  reevaluation: Pick<Sweep, "now">;
}

const maxListed = 100;

/** Creates the methods by which the benchmark service applies review policies. */
export function createReviewThresholdMethods(
  dependencies: ReviewThresholdDependencies,
): ServiceImpl<typeof ReviewThresholdService> {
  const { storage, deletedProjects, reviewThresholds: thresholds, reevaluation } = dependencies;
  return {
    async setReviewThresholds({ projectId, modelId, text = null, ocr = null }) {
      if (projectId === "") throw invalid([{ field: "projectId", message: "is required" }]);
      if (modelId === "") throw invalid([{ field: "modelId", message: "is required" }]);
      const changed = await storage.atomically(async (session) => {
        // The thresholds of a deleted project have been removed, or will be.
        if (await deletedProjects.has(projectId, session)) return false;
        return thresholds.set({ projectId, modelId }, { text, ocr }, session);
      });
      if (changed) void reevaluation.now();
      return create(SetReviewThresholdsResponseSchema);
    },

    async listChangedModels() {
      return create(ListChangedModelsResponseSchema, { modelIds: await thresholds.listChanged(maxListed) });
    },

    async acknowledgeChangedModels({ modelIds }) {
      await thresholds.acknowledge(modelIds);
      return create(AcknowledgeChangedModelsResponseSchema);
    },
  };
}
