import { createClient } from "@connectrpc/connect";
import type { Transport } from "@connectrpc/connect";
import { createConfigurationLink } from "@switchyard/change-feed";
import { BenchmarkService } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { EventService, ProjectEventKind } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import { RiskService } from "@switchyard/contracts/switchyard/benchmark/v1/risk";
import { ClassifierEventService } from "@switchyard/contracts/switchyard/classifier/internal/v1/events";
import { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ExtractionEventService } from "@switchyard/contracts/switchyard/extraction/internal/v1/events";
import { AcceptedFileService } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import { ReviewThresholdService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review_thresholds";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { register } from "@switchyard/rpc";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import {
  createOwnWrites,
  createPageTokens,
  createProjectWatch,
  newId,
  observeTransactions,
  observeWrites,
  watchCollections,
} from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import PQueue from "p-queue";
import { createComparer } from "./service/comparison/comparer.ts";
import { createComparisonRpcs } from "./service/comparison/comparisons.ts";
import type { Dependencies } from "./service/dependencies.ts";
import { createExecutionRpcs } from "./service/executions/executions.ts";
import { createFileEvaluator } from "./service/runs/file-evaluator.ts";
import { createEventRpc } from "./service/events/events.ts";
import type { EventSource } from "./service/events/events.ts";
import { createProjectContents } from "./service/project-contents.ts";
import { createMetricsReader } from "./service/results/metrics-reader.ts";
import { createResultRpcs } from "./service/results/results.ts";
import { createObserver } from "./service/risk/observer.ts";
import { createPolicyWorker } from "./service/risk/policy-worker.ts";
import { createRiskRpcs } from "./service/risk/risk.ts";
import { createRun } from "./service/runs/run.ts";
import { defaultSettings } from "./service/settings.ts";
import type { BenchmarkSettings } from "./service/settings.ts";
import { createWatchRpc } from "./service/executions/watch.ts";
import { createWorker } from "./service/runs/worker.ts";
import { createExecutionStore } from "./store/executions.ts";
import { createResultStore } from "./store/results.ts";
import { createReviewPolicyStore } from "./store/review-policies.ts";

/** The name of the service: its identity as a caller, the audience of identities that are signed for it, and its name in logs. */
export const serviceName = "benchmark";
/** The name of the service's database. */
export const databaseName = "switchyard_benchmark";

/** What the benchmark service needs from the process that composes it. */
export interface BenchmarkServiceOptions {
  storage: Storage;
  /** The transports to the other services. */
  configuration: Transport;
  extraction: Transport;
  classifier: Transport;
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
  /**
   * Starts the background work: running executions, keeping review policies up to date, removing those of deleted projects, sending audit
   * entries.
   */
  start(): void;
  /** Ends the streams that have no end of their own. */
  endStreams(): Promise<void>;
  /** Stops the background work and waits until it has ended. Unfinished executions are released. */
  stop(): Promise<void>;
}

/** Creates the benchmark service: executions of models over accepted files, and their results. */
export function createBenchmarkService(options: BenchmarkServiceOptions): BenchmarkServiceInstance {
  const { configuration, extraction, classifier, logger, pageTokenSecret, now = Date.now } = options;
  const settings: BenchmarkSettings = { ...defaultSettings, ...options.settings };
  const { exclusive = false } = options;
  const writes = createOwnWrites();
  const storage = observeTransactions(options.storage, async () => writes.ended());
  const { connection } = storage;
  const link = createConfigurationLink({ connection, configuration, service: serviceName, logger, exclusive });
  const { deletedProjects, outbox } = link;
  const executions = observeWrites(
    createExecutionStore(storage, deletedProjects, outbox),
    ["finish", "failStalled"],
    writes.ended,
  );
  const ownEvents = createProjectWatch({
    timelines: [
      { kind: ProjectEventKind.BENCHMARK, read: (...query) => executions.listCreated(...query) },
      { kind: ProjectEventKind.BENCHMARK, read: (...query) => executions.listEnded(...query) },
    ],
    changes: exclusive ? writes : () => watchCollections(connection, ["executions"]),
  });
  const results = createResultStore(storage.connection);
  const documents = createClient(AcceptedFileService, extraction);
  const evaluator = createFileEvaluator({ documents, settings, now });
  const getQueue = createQueues(settings.maxParallelFiles);
  const run = createRun({ executions, results, evaluator, getQueue, logger, now, settings });
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
  const classifications = createClient(ClassifierEventService, classifier);
  const extractions = createClient(ExtractionEventService, extraction);
  const sources: readonly EventSource[] = [
    (projectId, signal) => ownEvents.watch(projectId, signal),
    (projectId, signal) => classifications.watchProject({ projectId }, { signal }),
    (projectId, signal) => extractions.watchProject({ projectId }, { signal }),
  ];
  const dependencies: Dependencies = {
    storage,
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
      register(EventService, createEventRpc(dependencies, sources)),
    ],
    start() {
      worker.start();
      policyWorker.start();
      outbox.start();
      removal.start();
    },
    endStreams: async () => ownEvents.close(),
    async stop() {
      ownEvents.close();
      // In parallel, because each may wait for a database that is unavailable.
      await Promise.all([removal.stop(), worker.stop(), policyWorker.stop(), outbox.stop()]);
    },
  };
}

/** Creates the queues of files by the name of their engine, so that files of an engine that is slow do not keep others waiting. */
function createQueues(concurrency: number): (engine: string) => PQueue {
  const queues = new Map<string, PQueue>();
  return (engine) => {
    const queue = queues.get(engine) ?? new PQueue({ concurrency });
    queues.set(engine, queue);
    return queue;
  };
}
