import { createClient } from "@connectrpc/connect";
import type { Transport } from "@connectrpc/connect";
import { createConfigurationLink } from "@switchyard/change-feed";
import { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ExtractionEventService } from "@switchyard/contracts/switchyard/extraction/internal/v1/events";
import { AcceptedFileService } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import { AcceptedValuesService } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { DocumentService } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { ValuesService } from "@switchyard/contracts/switchyard/extraction/v1/values";
import { JobService } from "@switchyard/contracts/switchyard/extraction/v1/jobs";
import { openEngines } from "@switchyard/engines";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { Engines } from "@switchyard/engines";
import { register } from "@switchyard/rpc";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import {
  createPageTokens,
  createProjectWatch,
  createQuotaLookup,
  newId,
  quotaTimeoutMs,
  watchCollections,
} from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { createDocumentReader, findOwnModels, modelNames } from "./reading/index.ts";
import type { DocumentReader } from "./reading/index.ts";
import { createAcceptance } from "./service/accepted/acceptance.ts";
import { createAcceptedFileMethods } from "./service/accepted/files.ts";
import { createAcceptedImport } from "./service/accepted/import.ts";
import { createAcceptedValuesMethods } from "./service/accepted/values.ts";
import { createAttempt } from "./service/extractions/attempt.ts";
import { createDocumentMethods } from "./service/documents/documents.ts";
import { createContentReader } from "./service/files/content.ts";
import { createEngineExtraction } from "./service/engines/file-extraction.ts";
import { createExpiry, createFileExpiry } from "./service/files/expiry.ts";
import { createExtractionMethods } from "./service/extractions/extractions.ts";
import { createExtractor } from "./service/extractions/extractor.ts";
import type { Extractor } from "./service/extractions/extractor.ts";
import { createFileMethods } from "./service/files/files.ts";
import { createIngestion } from "./service/files/ingestion.ts";
import { createPlacement } from "./service/documents/placement.ts";
import { createJobMethods } from "./service/jobs/jobs.ts";
import { createJobRun } from "./service/jobs/job-run.ts";
import { createJobWorker } from "./service/jobs/job-worker.ts";
import { createProjectContents } from "./service/project-contents.ts";
import { createPageImages } from "./service/files/page-images.ts";
import { createDocumentTextCache } from "./service/files/text-cache.ts";
import { createLearner } from "./service/learning/learner.ts";
import { createLearning } from "./service/learning/learning.ts";
import { createBackfill } from "./service/values/backfill.ts";
import { createCompletion } from "./service/values/completion.ts";
import { createDeriveValues } from "./service/values/derivation.ts";
import { createCurrentValuesUpdater } from "./service/values/current-values-updater.ts";
import { createReviewServices } from "./service/values/review-services.ts";
import { createRowReader } from "./service/values/rows.ts";
import { createValuesMethods } from "./service/values/values.ts";
import { createRunner } from "./service/extractions/runner.ts";
import { defaultSettings } from "./service/settings.ts";
import type { ServiceSettings } from "./service/settings.ts";
import { createVisibility } from "./service/visibility.ts";
import { createTimelines } from "./service/extractions/events.ts";
import { createStores } from "./stores.ts";

export { createDocumentReader, defaultSettings, findOwnModels, modelNames };
export type { DocumentReader, Extractor, ServiceSettings };

/** The name of the service: its identity as a caller, the audience of identities that are signed for it, and its name in logs. */
export const serviceName = "extraction";
/** The name of the service's database. */
export const databaseName = "switchyard_extraction";

/** What the extraction service needs from the process that composes it. */
export interface ExtractionServiceOptions {
  storage: Storage;
  /** The transport to the configuration service. */
  configuration: Transport;
  /** Reads documents. It is not closed with the service. */
  reader: Pick<DocumentReader, "read" | "render" | "version">;
  logger: Logger;
  pageTokenSecret: Uint8Array;
  settings?: Partial<ServiceSettings>;
  /** The language models that the operator has configured; none by default. They are not closed with the service. */
  engines?: Engines;
  /** Returns the current time in milliseconds. */
  now?: () => number;
  /** Whether no other process uses the database any more. The extractions that earlier processes left are then continued at once. */
  exclusive?: boolean;
  /** Called after every deletion of files, whether it succeeded or not; nothing by default. */
  onFilesDeleted?: () => void;
  /** Extracts values, by default on worker threads. It is closed with the service. */
  extractor?: Extractor;
}

/** The extraction service, which can be served when its storage is ready. */
export interface ExtractionServiceInstance {
  registrations: ServiceRegistration[];
  /** Starts the background work: unfinished extractions, removing expired files and deleted projects, sending audit entries. */
  start(): void;
  /** Ends the streams that have no end of their own. */
  endStreams(): Promise<void>;
  /** Stops the background work and waits until it has ended. Unfinished extractions are released. */
  stop(): Promise<void>;
}

/** Creates the extraction service: files, their text, and the values extracted from them. */
export function createExtractionService(options: ExtractionServiceOptions): ExtractionServiceInstance {
  const { configuration, reader, logger, pageTokenSecret, now = Date.now, exclusive = false } = options;
  const { engines = openEngines({ definitions: [] }) } = options;
  const settings: ServiceSettings = { ...defaultSettings, ...options.settings };
  const extractor =
    options.extractor ??
    createExtractor({
      threads: settings.parallel,
      timeoutMs: settings.extractionTimeoutMs,
      memoryMb: settings.extractionMemoryMb,
      maxWaiting: settings.parallel,
    });

  const stores = createStores(options.storage, { exclusive, onFilesDeleted: options.onFilesDeleted, now, settings });
  const { storage, blobs, unused, texts, deletedFiles, files, extractions, accepted, jobs } = stores;
  const { currentValues, reviewThresholds } = stores;
  const { connection } = storage;
  const getContent = createContentReader(blobs, logger);
  const currentValuesUpdater = createCurrentValuesUpdater({
    files,
    accepted,
    extractions,
    currentValues,
    reviewThresholds,
  });
  const link = createConfigurationLink({ connection, configuration, service: serviceName, logger, exclusive });
  const { deletedProjects, outbox } = link;

  const targets = createClient(TargetService, configuration);
  const projects = createClient(IdentityLookupService, configuration);
  const quotas = createQuotaLookup((organizationId) =>
    projects.getQuotas({ organizationId }, { timeoutMs: quotaTimeoutMs }),
  );
  const pageTokens = createPageTokens(pageTokenSecret);
  const textCache = createDocumentTextCache({
    texts,
    getContent,
    reader,
    readerVersion: reader.version,
    now,
    unreadableRetentionMs: settings.unreadableRetentionMs,
  });
  const getPageImage = createPageImages({ textCache, getContent, reader });
  const ingestion = createIngestion({
    storage,
    files,
    blobs,
    textCache,
    deletedProjects,
    quotas,
    outbox,
    now,
    settings,
  });
  const visibility = createVisibility({ files, extractions, projects });
  const learning = createLearning({
    accepted,
    files,
    textCache,
    learner: createLearner({ timeoutMs: settings.learningTimeoutMs, memoryMb: settings.learningMemoryMb }),
    loadConfiguration: async (modelId) => {
      const schemaId = (await targets.resolveTargets({ targets: [{ modelId }] })).targets[0]?.model?.schemaId;
      return schemaId === undefined ? null : targets.getSchema({ schemaId });
    },
    logger,
    now,
    exclusive,
    settings: settings.learning,
  });
  const extractFile = createEngineExtraction({
    ...stores,
    ...{ textCache, engines, extractor, learning, getPageImage, settings },
  });
  const maxWaiting = settings.maxWaitingForEngine;
  const attempt = createAttempt({ files, targets, extractFile, engines, reviewThresholds, maxWaiting });
  const deriveValues = createDeriveValues(stores);
  const runner = createRunner({
    owner: newId("run"),
    exclusive,
    extractions,
    complete: createCompletion({ storage, extractions, deriveValues }),
    attempt,
    logger,
    now,
    settings,
  });
  const placement = createPlacement({ ...stores, deriveValues, deletedProjects, runner, now });
  const acceptance = createAcceptance({
    storage,
    files,
    accepted,
    currentValuesUpdater,
    targets,
    outbox,
    learning,
    now,
  });
  const expiry = createExpiry({ storage, files, unused, texts, logger, now, settings });
  const backfill = createBackfill({ storage, accepted, extractions, targets, currentValuesUpdater, logger, settings });
  const reviews = createReviewServices({
    ...stores,
    deletedProjects,
    targets,
    currentValuesUpdater,
    exclusive,
    logger,
  });
  const jobRun = createJobRun({
    storage,
    deletedProjects,
    jobs,
    extractions,
    files,
    targets,
    runner,
    logger,
    now,
    settings,
  });
  const jobWorker = createJobWorker({ owner: newId("run"), exclusive, jobs, run: jobRun, logger, now, settings });
  const events = createProjectWatch({
    timelines: createTimelines({ extractions, jobs }),
    changes: exclusive ? stores.writes : () => watchCollections(connection, ["extractions", "jobs"]),
  });
  const cleanBytes = () => expiry.now();
  const removal = link.createRemoval(
    createProjectContents({
      storage,
      files,
      accepted,
      currentValues,
      reviewThresholds,
      unused,
      extractions,
      jobs,
      worker: jobWorker,
      learning,
      cleanBytes,
    }),
  );

  return {
    registrations: [
      storage.idempotent(
        register(ExtractionService, {
          ...createFileMethods({
            storage,
            files,
            accepted,
            currentValues,
            reviewThresholds,
            targets,
            getContent,
            unused,
            textCache,
            getPageImage,
            ingestion,
            learning,
            visibility,
            pageTokens,
            outbox,
            now,
          }),
          ...createExtractionMethods({
            storage,
            deletedProjects,
            extractions,
            files,
            targets,
            runner,
            visibility,
            pageTokens,
            now,
            waitMs: settings.waitMs,
          }),
        }),
      ),
      storage.idempotent(
        register(AcceptedValuesService, {
          ...createAcceptedValuesMethods({ accepted, acceptance, extractions, files, targets, visibility }),
          ...createAcceptedImport({ storage, acceptance, files, visibility }),
        }),
      ),
      storage.idempotent(
        register(
          JobService,
          createJobMethods({
            storage,
            deletedProjects,
            outbox,
            jobs,
            files,
            currentValues,
            targets,
            worker: jobWorker,
            now,
          }),
        ),
      ),
      register(
        AcceptedFileService,
        createAcceptedFileMethods({ accepted, files, targets, engines, extractFile, parallel: settings.parallel }),
      ),
      register(ValuesService, createValuesMethods({ targets, rows: createRowReader(currentValues), pageTokens })),
      ...reviews.registrations,
      register(ExtractionEventService, {
        watchProject: ({ projectId }, { signal }) => events.watch(projectId, signal),
      }),
      register(
        DocumentService,
        createDocumentMethods({
          files,
          deletedFiles,
          extractions,
          textCache,
          ingestion,
          expireFile: createFileExpiry({ storage, files, unused }),
          visibility,
          placement,
          runner,
          settings,
        }),
      ),
    ],
    start() {
      runner.start();
      jobWorker.start();
      expiry.start();
      backfill.start();
      reviews.reevaluation.start();
      learning.start();
      void backfill.now();
      outbox.start();
      removal.start();
    },
    endStreams: async () => events.close(),
    async stop() {
      events.close();
      // In parallel, because each may wait for a database that is unavailable.
      await Promise.all([
        removal.stop(),
        backfill.stop(),
        reviews.reevaluation.stop(),
        expiry.stop(),
        jobWorker.stop(),
        runner.stop(),
        outbox.stop(),
      ]);
      await Promise.all([extractor.close(), learning.stop()]);
    },
  };
}
