import { create, fromBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { toNote } from "@switchyard/change-feed";
import {
  DeleteReviewPolicyResponseSchema,
  ReviewPolicySchema,
  RiskSchema,
} from "@switchyard/contracts/switchyard/benchmark/v1/risk";
import type { ReviewPolicy, RiskService } from "@switchyard/contracts/switchyard/benchmark/v1/risk";
import { invalid, modelHasNoSchema, notFound, unlessAborted } from "@switchyard/rpc";
import { toBytes } from "@switchyard/storage";
import { fieldChange } from "@switchyard/text";
import { computeRisk } from "../../domain/risk/risk.ts";
import type { Promised } from "../../domain/risk/risk.ts";
import type { ReviewPolicyRecord } from "../../store/review-policies.ts";
import type { Dependencies } from "../dependencies.ts";
import { findModel } from "./model-target.ts";
import { toRiskMessage } from "./risk-message.ts";

/** What is promised if a request does not say it. */
const defaults: Promised = { error: 0.01, confidence: 0.95 };

/** Creates the RPCs about what may go unseen. */
export function createRiskRpcs(dependencies: Dependencies): ServiceImpl<typeof RiskService> {
  const { observe, reviewPolicies, policyWorker, now } = dependencies;
  return {
    async getRisk(request, context) {
      const { modelId, projectId, schemaId } = await findModel(dependencies, request.targetId, context);
      const promised = toPromised(request);
      if (schemaId === undefined) throw modelHasNoSchema();
      const { configuration, files } = await unlessAborted(observe({ projectId, modelId, schemaId }), context.signal);
      return toRiskMessage(computeRisk(files, configuration, promised), promised);
    },

    async setReviewPolicy(request, context) {
      const { schemaId, modelId, ...place } = await findModel(dependencies, request.targetId, context);
      const promised = toPromised(request);
      if (schemaId === undefined) throw modelHasNoSchema();
      const at = new Date(now());
      const policy = await reviewPolicies.set({ _id: modelId, ...place, ...promised, updatedAt: at }, (before) => {
        const changes = {
          ...fieldChange("error", before?.error ?? null, promised.error),
          ...fieldChange("confidence", before?.confidence ?? null, promised.confidence),
        };
        return toNote(context, { at, targetId: modelId, changes });
      });
      void policyWorker.now();
      return toMessage(policy);
    },

    async getReviewPolicy({ targetId }, context) {
      const { modelId } = await findModel(dependencies, targetId, context);
      const policy = await reviewPolicies.find(modelId);
      if (policy === null) throw policyNotFound(modelId);
      return toMessage(policy);
    },

    async deleteReviewPolicy({ targetId }, context) {
      const { modelId } = await findModel(dependencies, targetId, context);
      const policy = await reviewPolicies.find(modelId);
      if (policy === null) throw policyNotFound(modelId);
      const { error, confidence } = policy;
      const note = toNote(context, { at: new Date(now()), targetId: modelId, changes: { error, confidence } });
      if (!(await reviewPolicies.remove(modelId, note))) throw policyNotFound(modelId);
      void policyWorker.now();
      return create(DeleteReviewPolicyResponseSchema);
    },
  };
}

/** Returns what a request wants to be promised. Throws INVALID_ARGUMENT unless both numbers lie strictly between 0 and 1. */
function toPromised({ error, confidence }: { error?: number | undefined; confidence?: number | undefined }): Promised {
  const promised = { error: error ?? defaults.error, confidence: confidence ?? defaults.confidence };
  const violations = Object.entries(promised).flatMap(([field, value]) =>
    value > 0 && value < 1 ? [] : [{ field, message: "must be more than 0 and less than 1" }],
  );
  if (violations.length > 0) throw invalid(violations);
  return promised;
}

function toMessage({ _id, error, confidence, computed, updatedAt }: ReviewPolicyRecord): ReviewPolicy {
  return create(ReviewPolicySchema, {
    modelId: _id,
    error,
    confidence,
    updatedAt: timestampFromDate(updatedAt),
    ...(computed === null
      ? {}
      : { risk: fromBinary(RiskSchema, toBytes(computed.risk)), computedAt: timestampFromDate(computed.at) }),
  });
}

function policyNotFound(modelId: string): Error {
  return notFound("review policy", modelId, "deploymentId");
}
