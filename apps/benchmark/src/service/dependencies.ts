import type { Client } from "@connectrpc/connect";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { AcceptedFileService } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import type { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { PageTokens, Storage, Sweep } from "@switchyard/storage";
import type { ExecutionStore } from "../store/executions.ts";
import type { ResultStore } from "../store/results.ts";
import type { ReviewPolicyStore } from "../store/review-policies.ts";
import type { BenchmarkSettings } from "./settings.ts";
import type { Comparer } from "./comparison/comparer.ts";
import type { MetricsReader } from "./results/metrics-reader.ts";
import type { Observer } from "./risk/observer.ts";
import type { Worker } from "./runs/worker.ts";

/** The dependencies of the RPCs of the benchmark service. */
export interface Dependencies {
  storage: Pick<Storage, "withKey">;
  executions: ExecutionStore;
  results: ResultStore;
  metrics: MetricsReader;
  compare: Comparer;
  observe: Observer;
  reviewPolicies: ReviewPolicyStore;
  policyWorker: Pick<Sweep, "now">;
  targets: Client<typeof TargetService>;
  projects: Client<typeof IdentityLookupService>;
  documents: Client<typeof AcceptedFileService>;
  worker: Pick<Worker, "wake" | "abandon">;
  pageTokens: PageTokens;
  settings: Pick<BenchmarkSettings, "pollIntervalMs">;
  now: () => number;
}
