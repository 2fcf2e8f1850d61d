import type { Message } from "@bufbuild/protobuf";
import type { DeletedProjects, Storage } from "@switchyard/storage";
import { trusted } from "mongoose";
import type { ClassifierDocument, ClassifierModels, RouteDocument } from "./classifier-document.ts";
import { createNameClaims, NameTaken } from "./name-claims.ts";

/** How many routes a classifier may have. */
export const maximumRoutes = 200;

/** A page of the classifiers that a project sees. */
export interface ClassifierQuery {
  organizationId: string;
  projectId: string;
  /** Everything when not given. */
  limit?: number;
  /** Only classifiers older than the one with this id. */
  before?: string;
}

/** What became of a route that was to be added. */
export type AddedRoute =
  | { outcome: "added"; classifier: ClassifierDocument }
  | { outcome: "duplicate"; existingRouteId: string }
  | { outcome: "full" }
  /** The classifier's scope is no longer what the caller checked against; the caller starts over. */
  | { outcome: "changed" }
  /** The project of the route's target was deleted. */
  | { outcome: "target-gone" }
  | { outcome: "gone" };

/** What became of a change that a name may stand against. */
export type NamedChange =
  { outcome: "done"; classifier: ClassifierDocument } | { outcome: "name-taken" } | { outcome: "gone" };

/** What a call answers of the classifier that it has changed, to be kept with its idempotency key. */
export type ClassifierAnswer = (classifier: ClassifierDocument) => Message;

/** Classifiers with their routes. */
export interface ClassifierStore {
  find(classifierId: string): Promise<ClassifierDocument | undefined>;
  /** The project's own classifiers and the global ones with a route into it, newest first. */
  list(query: ClassifierQuery): Promise<ClassifierDocument[]>;
  /** Stores a new project classifier with the examples of its routes, by route id. Gone means that its project was deleted. */
  insert(
    classifier: ClassifierDocument,
    examples: ReadonlyMap<string, readonly string[]>,
    answer?: ClassifierAnswer,
  ): Promise<NamedChange>;
  /** Adds a route, provided that the classifier still has the scope that the caller checked. */
  addRoute(
    checked: Pick<ClassifierDocument, "_id" | "projectId">,
    route: RouteDocument,
    examples: readonly string[],
    at: Date,
    answer?: ClassifierAnswer,
  ): Promise<AddedRoute>;
  /** Takes the project off a classifier. A classifier that is already global is unchanged. */
  makeGlobal(classifierId: string, at: Date, answer?: ClassifierAnswer): Promise<NamedChange>;
  /** The examples of a classifier's routes, by route id. */
  examplesOf(classifierId: string): Promise<Map<string, string[]>>;
}

/** Creates the store over the collections of classifiers. Nothing is written into projects that are deleted. */
export function createClassifierStore(
  storage: Storage,
  models: ClassifierModels,
  deletedProjects: Pick<DeletedProjects, "has">,
): ClassifierStore {
  const { classifiers, examples } = models;
  const claims = createNameClaims(models.claims);

  async function named(
    answer: ClassifierAnswer | undefined,
    work: Parameters<typeof storage.atomically<ClassifierDocument | undefined>>[0],
  ): Promise<NamedChange> {
    try {
      const classifier = await storage.atomically(work, (changed) => changed && answer?.(changed));
      return classifier === undefined ? { outcome: "gone" } : { outcome: "done", classifier };
    } catch (error) {
      if (error instanceof NameTaken) return { outcome: "name-taken" };
      throw error;
    }
  }

  async function find(classifierId: string): Promise<ClassifierDocument | undefined> {
    return (await classifiers.findById(classifierId).lean()) ?? undefined;
  }

  return {
    find,

    async list({ organizationId, projectId, limit, before }) {
      const older = before === undefined ? {} : { _id: trusted({ $lt: before }) };
      const page = async (scope: object): Promise<ClassifierDocument[]> => {
        const query = classifiers.find({ organizationId, ...scope, ...older }).sort({ _id: -1 });
        return limit === undefined ? query.lean() : query.limit(limit).lean();
      };
      // Two index scans that are merged: one query with $or would have to sort all that it finds.
      const [own, global] = await Promise.all([
        page({ projectId }),
        page({ projectId: null, routeProjectIds: projectId }),
      ]);
      return [...own, ...global].sort((a, b) => (a._id < b._id ? 1 : -1)).slice(0, limit);
    },

    async insert(classifier, exampleTexts, answer) {
      return named(answer, async (session) => {
        const { _id: classifierId, organizationId, name, projectId } = classifier;
        if (projectId === null) throw new Error("a classifier is created project-scoped");
        if (await deletedProjects.has(projectId, session)) return undefined;
        await claims.claimInProject({ classifierId, organizationId, name }, projectId, session);
        await classifiers.create([classifier], { session });
        const documents = [...exampleTexts]
          .filter(([, texts]) => texts.length > 0)
          .map(([routeId, texts]) => ({ _id: routeId, classifierId, texts: [...texts] }));
        if (documents.length > 0) await examples.insertMany(documents, { session });
        return classifier;
      });
    },

    async addRoute(checked, route, exampleTexts, at, answer) {
      const added = await storage.atomically(
        async (session) => {
          if (await deletedProjects.has(route.projectId, session)) return "target-gone";
          const classifier = await classifiers
            .findOneAndUpdate(
              {
                _id: checked._id,
                projectId: checked.projectId,
                "routes.targetKey": trusted({ $ne: route.targetKey }),
                routeCount: trusted({ $lt: maximumRoutes }),
              },
              {
                $push: { routes: route },
                $addToSet: { routeProjectIds: route.projectId },
                $inc: { routeCount: 1 },
                $set: { updatedAt: at },
              },
              { returnDocument: "after", session },
            )
            .lean();
          if (classifier !== null && exampleTexts.length > 0) {
            await examples.create([{ _id: route.id, classifierId: checked._id, texts: [...exampleTexts] }], {
              session,
            });
          }
          return classifier;
        },
        (changed) => (changed === null || changed === "target-gone" ? undefined : answer?.(changed)),
      );
      if (added === "target-gone") return { outcome: added };
      if (added !== null) return { outcome: "added", classifier: added };
      const now = await find(checked._id);
      if (now === undefined) return { outcome: "gone" };
      const existing = now.routes.find(({ targetKey }) => targetKey === route.targetKey);
      if (existing !== undefined) return { outcome: "duplicate", existingRouteId: existing.id };
      return now.projectId === checked.projectId && now.routeCount >= maximumRoutes
        ? { outcome: "full" }
        : { outcome: "changed" };
    },

    async makeGlobal(classifierId, at, answer) {
      return named(answer, async (session) => {
        const classifier = await classifiers.findById(classifierId, null, { session }).lean();
        if (classifier === null || classifier.projectId === null) return classifier ?? undefined;
        if (await deletedProjects.has(classifier.projectId, session)) return undefined;
        const { organizationId, name } = classifier;
        await claims.claimGlobally({ classifierId, organizationId, name }, session);
        const change = { projectId: null, updatedAt: at };
        await classifiers.updateOne({ _id: classifierId }, { $set: change }, { session });
        return { ...classifier, ...change };
      });
    },

    async examplesOf(classifierId) {
      const documents = await examples.find({ classifierId }).lean();
      return new Map(documents.map(({ _id, texts }) => [_id, texts]));
    },
  };
}
