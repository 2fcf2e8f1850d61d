import { createClient } from "@connectrpc/connect";
import type { Transport } from "@connectrpc/connect";
import { createConfigurationLink } from "@switchyard/change-feed";
import { BenchmarkService } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { AcceptedFileService } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { register } from "@switchyard/rpc";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import { createPageTokens, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import type { Dependencies } from "./service/dependencies.ts";
import { createExecutionRpcs } from "./service/executions/executions.ts";
import { createFileAttempt } from "./service/runs/file-attempt.ts";
import { createProjectContents } from "./service/project-contents.ts";
import { createResultRpcs } from "./service/results/results.ts";
import { createRun } from "./service/runs/run.ts";
import { benchmarkSettings, benchmarkVariables, defaultSettings } from "./service/settings.ts";
import type { BenchmarkSettings } from "./service/settings.ts";
import { createSemaphore } from "./service/runs/semaphore.ts";
import { createWatchRpc } from "./service/executions/watch.ts";
import { createWorker } from "./service/runs/worker.ts";
import { createExecutionStore } from "./store/executions.ts";
import { createResultStore } from "./store/results.ts";

export { benchmarkSettings, benchmarkVariables };
export type { BenchmarkSettings };

/** The service's name: as caller, as audience, and in logs. */
export const serviceName = "benchmark";
/** The service's database. */
export const databaseName = "switchyard_benchmark";

/** What the benchmark service needs from the process that composes it. */
export interface BenchmarkServiceOptions {
  storage: Storage;
  /** How the configuration and extraction services are reached. */
  configuration: Transport;
  extraction: Transport;
  logger: Logger;
  pageTokenSecret: Uint8Array;
  settings?: Partial<BenchmarkSettings>;
  /** The clock, in milliseconds. */
  now?: () => number;
  /** Whether every other process that ever used the database is known to be gone: what it worked on is begun again at once then. */
  alone?: boolean;
}

/** The benchmark service, ready to be served once its storage is. */
export interface BenchmarkServiceInstance {
  registrations: ServiceRegistration[];
  /** Begins to work on executions, to remove those of deleted projects, and to send entries to the audit trail. */
  start(): void;
  /** Resolves when nothing runs any more; what was not finished is handed back. */
  stop(): Promise<void>;
}

/** Creates the benchmark service: executions of models over accepted files, and what came out. */
export function createBenchmarkService(options: BenchmarkServiceOptions): BenchmarkServiceInstance {
  const { storage, configuration, extraction, logger, pageTokenSecret, now = Date.now } = options;
  const settings: BenchmarkSettings = { ...defaultSettings, ...options.settings };
  const link = createConfigurationLink({ connection: storage.connection, configuration, service: serviceName, logger });
  const { deletedProjects, outbox } = link;
  const executions = createExecutionStore(storage, deletedProjects, outbox);
  const results = createResultStore(storage.connection);
  const documents = createClient(AcceptedFileService, extraction);
  const files = createFileAttempt({ documents, settings, now });
  const semaphore = createSemaphore(settings.parallel);
  const run = createRun({ executions, results, files, semaphore, logger, now, settings });
  const worker = createWorker({
    owner: newId("run"),
    alone: options.alone ?? false,
    executions,
    results,
    run,
    logger,
    now,
    settings,
  });
  const removal = link.createRemoval(createProjectContents({ executions, worker }));
  const dependencies: Dependencies = {
    executions,
    results,
    targets: createClient(TargetService, configuration),
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
          ...createWatchRpc(dependencies),
        }),
      ),
    ],
    start() {
      worker.start();
      outbox.start();
      removal.start();
    },
    async stop() {
      // Side by side: each may wait for a database that is away.
      await Promise.all([removal.stop(), worker.stop(), outbox.stop()]);
    },
  };
}
