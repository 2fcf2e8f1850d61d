import { toBinary } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { RiskSchema } from "@switchyard/contracts/switchyard/benchmark/v1/risk";
import type { ReviewThresholdService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review_thresholds";
import type { Logger } from "@switchyard/rpc";
import { createSweep } from "@switchyard/storage";
import type { Sweep } from "@switchyard/storage";
import { computeRisk } from "../../domain/risk/risk.ts";
import type { Risk } from "../../domain/risk/risk.ts";
import type { ReviewPolicyRecord, ReviewPolicyStore } from "../../store/review-policies.ts";
import type { BenchmarkSettings } from "../settings.ts";
import type { Observer } from "./observer.ts";
import { toRiskMessage } from "./risk-message.ts";

/** The dependencies of the worker. */
export interface PolicyWorkerDependencies {
  reviewPolicies: ReviewPolicyStore;
  thresholds: Client<typeof ReviewThresholdService>;
  targets: Client<typeof TargetService>;
  observe: Observer;
  logger: Pick<Logger, "warn">;
  now: () => number;
  /** Whether no other process uses the database, so that this one sets all policies. */
  exclusive: boolean;
  settings: Pick<BenchmarkSettings, "policyIntervalMs">;
}

/** How long a policy waits after an attempt that failed. */
const retryMs = 30_000;
/** The interval at which the schemas of all models with a policy are looked at. */
const schemaIntervalMs = 30_000;
const batch = 100;

/**
 * Creates the work that keeps review policies up to date: it computes those that are due, and gives their thresholds to the extraction
 * service. Policies are due when they are set or deleted, when accepted values of their model change, and when its schema does. It can be
 * interrupted at any time, and several processes may do it at once.
 */
export function createPolicyWorker(dependencies: PolicyWorkerDependencies): Sweep {
  const { reviewPolicies, thresholds, targets, observe, logger, now, exclusive, settings } = dependencies;
  let schemasAt = -Infinity;

  /** Makes policies due whose model's accepted values have changed. They are due before the change is acknowledged, so that none is lost. */
  async function noticeAcceptedValues(): Promise<void> {
    for (let found = batch; found === batch;) {
      const { modelIds } = await thresholds.listChangedModels({});
      await reviewPolicies.touch(modelIds, new Date(now()));
      if (modelIds.length > 0) await thresholds.acknowledgeChangedModels({ modelIds });
      found = modelIds.length;
    }
  }

  /** Makes policies due whose model has another schema, or was deleted. */
  async function noticeSchemas(): Promise<void> {
    if (now() - schemasAt < schemaIntervalMs) return;
    let after = "";
    for (let found = batch; found === batch;) {
      const listed = await reviewPolicies.list(after, batch);
      const current = await getSchemas(listed.map(({ _id }) => _id));
      const changed = listed.filter(({ _id, computed }) => computed !== null && computed.schemaId !== current.get(_id));
      await reviewPolicies.touch(
        changed.map(({ _id }) => _id),
        new Date(now()),
      );
      found = listed.length;
      after = listed.at(-1)?._id ?? "";
    }
    schemasAt = now();
  }

  /** Returns the current schemas of models. Those that were deleted, or have none, are left out. */
  async function getSchemas(modelIds: readonly string[]): Promise<Map<string, string>> {
    if (modelIds.length === 0) return new Map();
    const resolved = await targets.resolveTargets({ targets: modelIds.map((modelId) => ({ modelId })) });
    return new Map(resolved.targets.flatMap(({ model }) => (model?.schemaId ? [[model.id, model.schemaId]] : [])));
  }

  async function apply(policy: ReviewPolicyRecord): Promise<void> {
    const { _id: modelId, projectId, error, confidence } = policy;
    const schemaId = policy.deleted ? undefined : (await getSchemas([modelId])).get(modelId);
    if (schemaId === undefined) {
      await thresholds.setReviewThresholds({ projectId, modelId });
      return reviewPolicies.forget(policy);
    }
    const { configuration, files } = await observe({ projectId, modelId, schemaId });
    const risk = computeRisk(files, configuration, { error, confidence });
    await thresholds.setReviewThresholds({ projectId, modelId, ...toThresholds(risk) });
    const message = toBinary(RiskSchema, toRiskMessage(risk, { error, confidence }));
    await reviewPolicies.complete(policy, { risk: message, schemaId, at: new Date(now()) });
  }

  return createSweep({
    intervalMs: settings.policyIntervalMs,
    idles: () => exclusive,
    onError: (error) => logger.warn({ err: error }, "review policies could not be looked at"),
    async work() {
      const policies = await reviewPolicies.list("", 1);
      // Whoever sets the first one begins a round.
      if (policies.length === 0) return undefined;
      await noticeAcceptedValues();
      await noticeSchemas();
      for (const policy of await reviewPolicies.listDue(new Date(now()), batch)) {
        try {
          await apply(policy);
        } catch (error) {
          logger.warn({ modelId: policy._id, err: error }, "review policy could not be computed");
          await reviewPolicies.postpone(policy, new Date(now() + retryMs));
        }
      }
      return settings.policyIntervalMs;
    },
  });
}

function toThresholds({ bySource }: Risk): { text?: number; ocr?: number } {
  const entries = bySource.flatMap(({ source, threshold }) =>
    threshold === null ? [] : [[source === "OCR" ? "ocr" : "text", threshold] as const],
  );
  return Object.fromEntries(entries);
}
