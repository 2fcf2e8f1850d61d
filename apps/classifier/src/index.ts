import type { Transport } from "@connectrpc/connect";
import { createClient } from "@connectrpc/connect";
import { createConfigurationLink } from "@switchyard/change-feed";
import { ClassifierEventService } from "@switchyard/contracts/switchyard/classifier/internal/v1/events";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ReviewService } from "@switchyard/contracts/switchyard/classifier/v1/review";
import { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { DocumentService } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { ExtractionReviewService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { openEngines } from "@switchyard/engines";
import type { Engines } from "@switchyard/engines";
import { register } from "@switchyard/rpc";
import type { Logger, ServiceRegistration } from "@switchyard/rpc";
import {
  createDocumentCache,
  createOwnWrites,
  createPassingCache,
  createPageTokens,
  createProjectWatch,
  createVersionedCache,
  createQuotaLookup,
  observeTransactions,
  quotaTimeoutMs,
  watchCollections,
} from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { createLearningThread } from "./learning/thread.ts";
import { createScoringThread } from "./scoring/thread.ts";
import { createClassifierRpcs } from "./service/classifiers/classifiers.ts";
import { createBatchRpc } from "./service/classifications/batch.ts";
import { createClassifyRpcs } from "./service/classifications/classify.ts";
import { createExplanationRpc } from "./service/classifications/explanation.ts";
import type { Dependencies } from "./service/dependencies.ts";
import { createPlacementSweep } from "./service/classifications/placements.ts";
import { createLearning } from "./service/learning/learning.ts";
import { createProjectRecordRpc } from "./service/classifications/project-records.ts";
import { createRecordRpcs } from "./service/classifications/records.ts";
import { createRouteRpcs } from "./service/routes/routes.ts";
import { createScopeRpcs } from "./service/classifiers/scopes.ts";
import { createForgetting } from "./service/review/forgetting.ts";
import { createQualityRpc } from "./service/quality/quality.ts";
import { createReviewRpcs } from "./service/review/review.ts";
import { createReviewListRpc } from "./service/review/review-list.ts";
import { createScorers } from "./service/classifications/scorers.ts";
import { createCalibrations } from "./service/engines/calibrations.ts";
import { createEngineChoice } from "./service/engines/engine-choice.ts";
import { createWaitingLimit } from "./service/engines/waiting-limit.ts";
import { createTargetRouteRpcs } from "./service/routes/target-routes.ts";
import { createTimelines } from "./service/review/events.ts";
import { classificationModel } from "./store/classification-document.ts";
import { createClassificationStore } from "./store/classifications.ts";
import { classifierModels } from "./store/classifier-document.ts";
import { createClassifierStore } from "./store/classifiers.ts";
import { createReviewedDocumentStore } from "./store/reviews/reviewed-documents.ts";
import { createReviewStore } from "./store/reviews/reviews.ts";
import { createPlacedMarks } from "./store/placed-marks.ts";
import { createProjectContents } from "./store/project-contents.ts";

/** The name of the service: its identity as a caller, the audience of identities that are signed for it, and its name in logs. */
export const serviceName = "classifier";
/** The name of the service's database. */
export const databaseName = "switchyard_classifier";

/** How many documents wait for language models at the same time. The gateway serves 32 calls of a method, so some are left for others. */
const maxWaitingForEngines = 24;

/** What the classifier service needs from the process that composes it. */
export interface ClassifierServiceOptions {
  storage: Storage;
  /** The transports to the configuration and extraction services. */
  configuration: Transport;
  extraction: Transport;
  pageTokenSecret: Uint8Array;
  logger: Logger;
  /** The language models that the operator has configured; none by default. They are not closed with the service. */
  engines?: Engines;
  now?: () => Date;
  /** Whether no other process uses the database. Lists are then cached, and the work that earlier processes left is finished at once. */
  exclusive?: boolean;
  /** Whether `noteDeletedFiles` is called after every deletion of files, so that the service need not poll for them; false by default. */
  deletedFilesAreNoted?: boolean;
  /** The interval at which the service looks for work that a crash left unfinished. */
  sweepIntervalMs?: number;
}

/** The classifier service, ready to be served. */
export interface ClassifierServiceInstance {
  registrations: ServiceRegistration[];
  /** Starts the background work: finishing what a crash left, removing the contents of deleted projects, sending audit entries. */
  start(): void;
  /** Reports that files were deleted. What was learned from them is removed soon. */
  noteDeletedFiles(): void;
  /** Ends the streams that have no end of their own. */
  endStreams(): Promise<void>;
  /** Stops the background work and waits until it has ended. */
  stop(): Promise<void>;
}

/** Creates the classifier service: classifiers, their routes, and the classification of documents. */
export function createClassifierService({
  storage: ownStorage,
  configuration,
  extraction,
  engines = openEngines({ definitions: [] }),
  pageTokenSecret,
  logger,
  now = () => new Date(),
  exclusive = false,
  deletedFilesAreNoted: isReported = false,
  sweepIntervalMs = 5_000,
}: ClassifierServiceOptions): ClassifierServiceInstance {
  const createCache = (name: string) =>
    exclusive ? createDocumentCache() : createVersionedCache(ownStorage.connection, name);
  const caches = {
    lists: createCache("lists"),
    configurations: createCache("configurations"),
    reviews: exclusive ? createDocumentCache() : createPassingCache(),
  };
  // A classification changes only the count of its classifier. Only lists contain the count.
  const ownWrites = createOwnWrites();
  const watchedStorage = observeTransactions(ownStorage, async () => ownWrites.ended());
  const countingStorage = observeTransactions(watchedStorage, () => caches.lists.clear());
  const reviewingStorage = observeTransactions(watchedStorage, () => caches.reviews.clear());
  const storage = observeTransactions(countingStorage, async () => {
    await Promise.all([caches.configurations.clear(), caches.reviews.clear()]);
  });
  const { connection } = storage;
  const models = classifierModels(connection);
  const records = classificationModel(storage);
  const link = createConfigurationLink({ connection, configuration, service: serviceName, logger, exclusive });
  const { deletedProjects, outbox } = link;
  const reviewedDocuments = createReviewedDocumentStore(connection, caches.reviews);
  const classifiers = createClassifierStore(storage, models, deletedProjects, outbox, caches, reviewedDocuments);
  const scoring = createScoringThread();
  const learning = createLearning(reviewedDocuments, createLearningThread(), scoring, (error) =>
    logger.warn({ err: error }, "could not learn from reviewed documents; trying again"),
  );
  const projects = createClient(IdentityLookupService, configuration);
  const classifications = createClassificationStore(countingStorage, models, records);
  const reviews = createReviewStore(reviewingStorage, models, records, reviewedDocuments, outbox);
  const events = createProjectWatch({
    timelines: createTimelines({ classifications, reviews }),
    changes: exclusive ? ownWrites : () => watchCollections(connection, ["classifications"]),
  });
  const placedMarks = createPlacedMarks(
    (ids) => classifications.markPlaced(ids),
    (error) => logger.warn({ err: error }, "could not mark placed documents; the sweep will place them again"),
  );
  const documents = createClient(DocumentService, extraction);
  const onDeferred = (error: unknown): void =>
    logger.warn({ err: error }, "could not place a document; the sweep will retry");
  const sweep = createPlacementSweep({ classifications, documents, now, onDeferred, exclusive }, sweepIntervalMs);
  const scorers = createScorers(classifiers, scoring, learning);
  const dependencies: Dependencies = {
    classifiers,
    scorers,
    engines,
    engineChoice: createEngineChoice({
      ...{ scorers, engines },
      calibrations: createCalibrations(reviewedDocuments),
      waitingLimit: createWaitingLimit(maxWaitingForEngines),
    }),
    classifications,
    reviews,
    reviewedDocuments,
    learning,
    placedMarks,
    placementSweep: sweep,
    targets: createClient(TargetService, configuration),
    projects,
    quotas: createQuotaLookup((organizationId) =>
      projects.getQuotas({ organizationId }, { timeoutMs: quotaTimeoutMs }),
    ),
    documents,
    extractionReviews: createClient(ExtractionReviewService, extraction),
    pageTokens: createPageTokens(pageTokenSecret),
    now,
    onDeferred,
    logger,
  };
  const forgetting = createForgetting({ reviews, documents, isReported }, (error) =>
    logger.warn({ err: error }, "could not remove what was learned from deleted files; it will be tried again"),
  );
  const removal = link.createRemoval(createProjectContents(classifiers, models, now));
  const rpcs = {
    ...createClassifierRpcs(dependencies),
    ...createScopeRpcs(dependencies),
    ...createRouteRpcs(dependencies),
    ...createTargetRouteRpcs(dependencies),
    ...createClassifyRpcs(dependencies),
    ...createBatchRpc(dependencies),
    ...createRecordRpcs(dependencies),
    ...createProjectRecordRpc(dependencies),
    ...createExplanationRpc(dependencies),
    ...createQualityRpc(dependencies),
  };
  return {
    registrations: [
      storage.idempotent(register(ClassifierService, rpcs)),
      storage.idempotent(
        register(ReviewService, { ...createReviewRpcs(dependencies), ...createReviewListRpc(dependencies) }),
      ),
      register(ClassifierEventService, {
        watchProject: ({ projectId }, { signal }) => events.watch(projectId, signal),
      }),
    ],
    start() {
      sweep.start();
      if (exclusive) void sweep.now();
      forgetting.start();
      outbox.start();
      removal.start();
    },
    noteDeletedFiles: () => forgetting.touch(),
    endStreams: async () => events.close(),
    async stop() {
      events.close();
      // In parallel, because each may wait for a database that is unavailable.
      await Promise.all([
        removal.stop(),
        sweep.stop(),
        forgetting.stop(),
        placedMarks.flush(),
        outbox.stop(),
        learning.close(),
        scoring.close(),
      ]);
    },
  };
}
