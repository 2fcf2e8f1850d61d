import { createClient } from "@connectrpc/connect";
import type { Transport } from "@connectrpc/connect";
import { createConfigurationLink } from "@switchyard/change-feed";
import { BenchmarkService } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { RiskService } from "@switchyard/contracts/switchyard/benchmark/v1/risk";
import { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { AcceptedFileService } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import { ReviewThresholdService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review_thresholds";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { register } from "@switchyard/rpc";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import { createPageTokens, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import PQueue from "p-queue";
import { createComparer } from "./service/comparison/comparer.ts";
import { createComparisonRpcs } from "./service/comparison/comparisons.ts";
import type { Dependencies } from "./service/dependencies.ts";
import { createExecutionRpcs } from "./service/executions/executions.ts";
import { createFileEvaluator } from "./service/runs/file-evaluator.ts";
import { createProjectContents } from "./service/project-contents.ts";
import { createMetricsReader } from "./service/results/metrics-reader.ts";
import { createResultRpcs } from "./service/results/results.ts";
import { createObserver } from "./service/risk/observer.ts";
import { createPolicyWorker } from "./service/risk/policy-worker.ts";
import { createRiskRpcs } from "./service/risk/risk.ts";
import { createRun } from "./service/runs/run.ts";
import { toBenchmarkSettings, benchmarkVariables, defaultSettings } from "./service/settings.ts";
import type { BenchmarkSettings } from "./service/settings.ts";
import { createWatchRpc } from "./service/executions/watch.ts";
import { createWorker } from "./service/runs/worker.ts";
import { createExecutionStore } from "./store/executions.ts";
import { createResultStore } from "./store/results.ts";
import { createReviewPolicyStore } from "./store/review-policies.ts";

export { toBenchmarkSettings, benchmarkVariables };
export type { BenchmarkSettings };

/** The name of the service: its identity as a caller, the audience of identities that are signed for it, and its name in logs. */
export const serviceName = "benchmark";
/** The name of the service's database. */
export const databaseName = "switchyard_benchmark";

/** What the benchmark service needs from the process that composes it. */
export interface BenchmarkServiceOptions {
  storage: Storage;
  /** The transports to the configuration and extraction services. */
  configuration: Transport;
  extraction: Transport;
  logger: Logger;
  pageTokenSecret: Uint8Array;
  settings?: Partial<BenchmarkSettings>;
  /** Returns the current time in milliseconds. */
  now?: () => number;
  /** Whether no other process uses the database any more. The executions that earlier processes left are then continued at once. */
  exclusive?: boolean;
}

/** The benchmark service, which can be served when its storage is ready. */
export interface BenchmarkServiceInstance {
  registrations: ServiceRegistration[];
  /** Starts the background work: running executions, keeping review policies up to date, removing those of deleted projects, sending audit entries. */
  start(): void;
  /** Stops the background work and waits until it has ended. Unfinished executions are released. */
  stop(): Promise<void>;
}

/** Creates the benchmark service: executions of models over accepted files, and their results. */
export function createBenchmarkService(options: BenchmarkServiceOptions): BenchmarkServiceInstance {
  const { storage, configuration, extraction, logger, pageTokenSecret, now = Date.now } = options;
  const settings: BenchmarkSettings = { ...defaultSettings, ...options.settings };
  const { exclusive = false } = options;
  const { connection } = storage;
  const link = createConfigurationLink({ connection, configuration, service: serviceName, logger, exclusive });
  const { deletedProjects, outbox } = link;
  const executions = createExecutionStore(storage, deletedProjects, outbox);
  const results = createResultStore(storage.connection);
  const documents = createClient(AcceptedFileService, extraction);
  const evaluator = createFileEvaluator({ documents, settings, now });
  const queue = new PQueue({ concurrency: settings.maxParallelFiles });
  const run = createRun({ executions, results, evaluator, queue, logger, now, settings });
  const worker = createWorker({
    owner: newId("run"),
    exclusive,
    executions,
    results,
    run,
    logger,
    now,
    settings,
  });
  const targets = createClient(TargetService, configuration);
  const reviewPolicies = createReviewPolicyStore(storage, deletedProjects, outbox);
  const observe = createObserver({ documents, targets, settings });
  const thresholds = createClient(ReviewThresholdService, extraction);
  const policyWorker = createPolicyWorker({
    reviewPolicies,
    thresholds,
    targets,
    observe,
    logger,
    now,
    exclusive,
    settings,
  });
  const removal = link.createRemoval(createProjectContents({ executions, reviewPolicies, worker }));
  const dependencies: Dependencies = {
    executions,
    results,
    metrics: createMetricsReader({ executions, results }),
    compare: createComparer({ executions, results }),
    observe,
    reviewPolicies,
    policyWorker,
    targets,
    projects: createClient(IdentityLookupService, configuration),
    documents,
    worker,
    pageTokens: createPageTokens(pageTokenSecret),
    settings,
    now,
  };
  return {
    registrations: [
      storage.idempotent(
        register(BenchmarkService, {
          ...createExecutionRpcs(dependencies),
          ...createResultRpcs(dependencies),
          ...createComparisonRpcs(dependencies),
          ...createWatchRpc(dependencies),
        }),
      ),
      register(RiskService, createRiskRpcs(dependencies)),
    ],
    start() {
      worker.start();
      policyWorker.start();
      outbox.start();
      removal.start();
    },
    async stop() {
      // In parallel, because each may wait for a database that is unavailable.
      await Promise.all([removal.stop(), worker.stop(), policyWorker.stop(), outbox.stop()]);
    },
  };
}
