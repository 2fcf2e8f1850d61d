import type { AuditOutbox, DeletedProjects } from "@switchyard/change-feed";
import { createPassingCache } from "@switchyard/storage";
import type { DocumentCache, Storage } from "@switchyard/storage";
import { trusted } from "mongoose";
import { mayHaveUnplacedRecords } from "./classifier-document.ts";
import type {
  ClassifierConfiguration,
  ClassifierDocument,
  ClassifierModels,
  RouteDocument,
} from "./classifier-document.ts";
import { createClassifierWriter } from "./classifier-writer.ts";
import type { ClassifierWriter } from "./classifier-writer.ts";
import type { ReviewedDocumentStore } from "./reviews/reviewed-documents.ts";

/** Selects a page of the classifiers that a project lists. */
export interface ClassifierQuery {
  organizationId: string;
  projectId: string;
  /** All classifiers if undefined. */
  limit?: number;
  /** Only classifiers older than the one with this ID. */
  before?: string;
}

/** Stores classifiers with their routes. */
export interface ClassifierStore extends ClassifierWriter {
  find(classifierId: string): Promise<ClassifierDocument | undefined>;
  /** Finds what classifications need to know about a classifier. The count is left out, because classifications change it. */
  findConfiguration(classifierId: string): Promise<ClassifierConfiguration | undefined>;
  /** Like `findConfiguration`, for several classifiers, in any order. Those that do not exist are left out. */
  findConfigurations(classifierIds: readonly string[]): Promise<ClassifierConfiguration[]>;
  /** Lists the classifiers of a project and the global ones with a route into it, newest first. */
  list(query: ClassifierQuery): Promise<readonly ClassifierDocument[]>;
  /**
   * Returns the IDs of the classifiers whose records without a project concern a project: the global ones with a route into it, and its own
   * ones that have been global. However many others it has, they are not read.
   */
  listIdsOfUnplaced(query: Pick<ClassifierQuery, "organizationId" | "projectId">): Promise<readonly string[]>;
  /** Lists the classifiers of an organization with a route to a model or one of its deployments, or to a deployment; newest first. */
  listRoutingTo(
    organizationId: string,
    target: Pick<RouteDocument, "modelId" | "deploymentId">,
  ): Promise<ClassifierDocument[]>;
  /** Returns the examples of all routes of a classifier or of the given ones, by the ID of the route. */
  getExamples(classifierId: string, routeIds?: readonly string[]): Promise<Map<string, string[]>>;
}

/** The caches of a store of classifiers. */
export interface ClassifierCaches {
  /** Caches lists of classifiers with their counts. Every transaction must clear this cache. */
  readonly lists: DocumentCache;
  /** Caches classifiers without their counts. Every transaction except those of classifications must clear this cache. */
  readonly configurations: DocumentCache;
}

const passingCaches: ClassifierCaches = { lists: createPassingCache(), configurations: createPassingCache() };

/**
 * Creates the store of classifiers. It writes nothing into deleted projects. Transactions of `storage` must clear the caches. `reviewed` is
 * what classifiers learn from, which is removed with them.
 */
export function createClassifierStore(
  storage: Storage,
  models: ClassifierModels,
  deletedProjects: Pick<DeletedProjects, "has">,
  outbox: Pick<AuditOutbox, "note">,
  caches: ClassifierCaches = passingCaches,
  reviewed?: Pick<ReviewedDocumentStore, "removeClassifier">,
): ClassifierStore {
  const { classifiers, examples } = models;
  const findConfigurations = (classifierIds: readonly string[]): Promise<ClassifierConfiguration[]> =>
    caches.configurations.find("classifiers", classifierIds, (ids) =>
      classifiers
        .find({ _id: trusted({ $in: [...ids] }) }, { classificationCount: 0, wins: 0 })
        .lean<ClassifierConfiguration[]>(),
    );

  return {
    ...createClassifierWriter(storage, models, { deletedProjects, outbox, reviewed }),

    async find(classifierId) {
      return (await classifiers.findById(classifierId).lean()) ?? undefined;
    },

    async findConfiguration(classifierId) {
      return (await findConfigurations([classifierId]))[0];
    },

    findConfigurations,

    list: ({ organizationId, projectId, limit, before }) =>
      caches.lists.list("classifiers", { organizationId, projectId, limit, before }, async () => {
        const older = before === undefined ? {} : { _id: trusted({ $lt: before }) };
        const query = classifiers
          .find({ organizationId, listedIn: projectId, ...older }, { wins: 0 })
          .sort({ _id: -1 });
        return limit === undefined ? query.lean() : query.limit(limit).lean();
      }),

    async listIdsOfUnplaced({ organizationId, projectId }) {
      const found = await caches.lists.list(
        "classifiers",
        { organizationId, projectId, ofUnplaced: true },
        async () => {
          const lists = await Promise.all(
            [
              { projectId: null, listedIn: projectId },
              { projectId, ...mayHaveUnplacedRecords },
            ].map((some) => classifiers.find({ organizationId, ...some }, { _id: 1 }).lean()),
          );
          return lists.flat();
        },
      );
      return found.map(({ _id }) => _id);
    },

    async listRoutingTo(organizationId, { modelId, deploymentId }) {
      const target = deploymentId === null ? { "routes.modelId": modelId } : { "routes.deploymentId": deploymentId };
      return classifiers
        .find({ organizationId, ...target })
        .sort({ _id: -1 })
        .lean();
    },

    async getExamples(classifierId, routeIds) {
      const wanted = routeIds === undefined ? {} : { _id: trusted({ $in: [...routeIds] }) };
      const documents = await examples.find({ classifierId, ...wanted }).lean();
      return new Map(documents.map(({ _id, texts }) => [_id, texts]));
    },
  };
}
