import type { Message } from "@bufbuild/protobuf";
import type { AuditOutbox, DeletedProjects, NotedChange } from "@switchyard/change-feed";
import type { ToAnswer, Storage } from "@switchyard/storage";
import { trusted } from "mongoose";
import type { ClientSession } from "mongoose";
import { isDeepStrictEqual } from "node:util";
import { getChanges, toCreation, toDeletion } from "../domain/administration/audited-change.ts";
import type { AuditedChange, TextChange } from "../domain/administration/audited-change.ts";
import { derivedFields } from "./classifier-document.ts";
import type { ClassifierDocument, ClassifierModels, RouteDocument } from "./classifier-document.ts";
import { createNameClaims, NameTaken } from "./name-claims.ts";

/** The examples of routes, by route id. */
export type ExamplesByRoute = ReadonlyMap<string, readonly string[]>;

/** A page of the classifiers that a project sees. */
export interface ClassifierQuery {
  organizationId: string;
  projectId: string;
  /** Everything when not given. */
  limit?: number;
  /** Only classifiers older than the one with this id. */
  before?: string;
}

/** What of a classifier is changed; the rest stays. */
export type ClassifierChanges = Partial<
  Pick<ClassifierDocument, "name" | "description" | "settings" | "projectId" | "routes">
>;

/** What shall become of a classifier. */
export type Verdict<Refusal> =
  /** `examples` are of routes that stay or come; those of routes that go, go with them. */
  | { verdict: "change"; changes: ClassifierChanges; examples?: ExamplesByRoute }
  | { verdict: "remove" }
  | { verdict: "refuse"; refusal: Refusal }
  /** What the decision rests on is no longer so: whoever asked begins anew. */
  | { verdict: "again" };

/** What became of a change: the classifier as it is then; a removed one as it was. */
export type ChangeResult<Refusal> =
  | { outcome: "done"; classifier: ClassifierDocument }
  | { outcome: "refused"; refusal: Refusal }
  | { outcome: "name-taken" }
  | { outcome: "again" }
  /** A project that it would come or lead into was deleted. */
  | { outcome: "project-gone"; projectId: string }
  /** Also where its own project was deleted, and it will follow. */
  | { outcome: "gone" };

/** A call that changes a classifier. What follows of it is committed with the change. */
export interface ChangingCall {
  /** What it answers of the classifier that it has changed: it is kept with its idempotency key. */
  answer: (classifier: ClassifierDocument) => Message;
  /** What the audit trail is told. */
  note: (change: AuditedChange) => NotedChange;
}

/** Classifiers with their routes. */
export interface ClassifierStore {
  find(classifierId: string): Promise<ClassifierDocument | undefined>;
  /** The project's own classifiers and the global ones with a route into it, newest first. */
  list(query: ClassifierQuery): Promise<ClassifierDocument[]>;
  /** The classifiers of an organization with a route to a model or to a deployment of it, newest first. */
  routingTo(
    organizationId: string,
    target: Pick<RouteDocument, "modelId" | "deploymentId">,
  ): Promise<ClassifierDocument[]>;
  /** Stores a new project classifier with the examples of its routes. Gone means that its project was deleted. */
  insert(
    classifier: ClassifierDocument,
    examples: ExamplesByRoute,
    call?: ChangingCall,
  ): Promise<{ outcome: "done" | "name-taken" | "gone" }>;
  /**
   * Changes a classifier as `decide` says, which sees it as it is and does nothing but decide: it is asked again when another
   * change was in the way. Reading, deciding and writing are one transaction, with the claim of the name. What is equal is not
   * written; where nothing is left to write, `updatedAt` stays, else it ascends. What a call changes is noted for the audit trail.
   */
  change<Refusal>(
    classifierId: string,
    at: Date,
    decide: (classifier: ClassifierDocument) => Verdict<Refusal>,
    call?: ChangingCall,
  ): Promise<ChangeResult<Refusal>>;
  /** The examples of a classifier's routes, or only of those given, by route id. */
  getExamples(classifierId: string, routeIds?: readonly string[]): Promise<Map<string, string[]>>;
}

/** Creates the store over the collections of classifiers. Nothing is written into projects that are deleted. */
export function createClassifierStore(
  storage: Storage,
  models: ClassifierModels,
  deletedProjects: Pick<DeletedProjects, "has">,
  outbox: Pick<AuditOutbox, "note">,
): ClassifierStore {
  const { classifiers, examples } = models;
  const claims = createNameClaims(models.claims);

  /** Runs work that may find the name taken; the transaction is then rolled back. */
  async function claiming<Result>(
    work: (session: ClientSession) => Promise<Result>,
    toAnswer: ToAnswer<Result>,
  ): Promise<Result | { outcome: "name-taken" }> {
    try {
      return await storage.atomically(work, toAnswer);
    } catch (error) {
      if (error instanceof NameTaken) return { outcome: "name-taken" };
      throw error;
    }
  }

  async function noteAll(
    call: ChangingCall | undefined,
    changes: readonly AuditedChange[],
    session: ClientSession,
  ): Promise<void> {
    if (call === undefined) return;
    for (const change of changes) await outbox.note(call.note(change), session);
  }

  /** Replaces the examples of routes; answers those that were others. */
  async function replaceExamples(
    classifierId: string,
    texts: ExamplesByRoute,
    session: ClientSession,
  ): Promise<Map<string, TextChange>> {
    const changed = new Map<string, TextChange>();
    for (const [routeId, wanted] of texts) {
      const found = await examples.findById(routeId, null, { session }).lean();
      const present = found?.texts ?? [];
      if (isDeepStrictEqual(present, wanted)) continue;
      changed.set(routeId, { from: present, to: wanted });
      const change = { $set: { classifierId, texts: [...wanted] } };
      if (wanted.length === 0) await examples.deleteOne({ _id: routeId }, { session });
      else await examples.updateOne({ _id: routeId }, change, { upsert: true, session });
    }
    return changed;
  }

  async function write(
    before: ClassifierDocument,
    wanted: ClassifierChanges,
    texts: ExamplesByRoute,
    at: Date,
    session: ClientSession,
  ): Promise<{ after: ClassifierDocument; otherExamples: ReadonlyMap<string, TextChange> }> {
    const different = Object.entries(wanted).filter(
      ([field, value]) => !isDeepStrictEqual(value, before[field as keyof ClassifierChanges]),
    );
    const changes: ClassifierChanges = Object.fromEntries(different);
    const otherExamples = await replaceExamples(before._id, texts, session);
    if (different.length === 0 && otherExamples.size === 0) return { after: before, otherExamples };
    if (changes.name !== undefined || changes.projectId !== undefined) {
      await claims.move(before, { ...before, ...changes }, session);
    }
    if (changes.routes !== undefined) {
      const kept = new Set(changes.routes.map(({ id }) => id));
      const removed = before.routes.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
      if (removed.length > 0) await examples.deleteMany({ _id: trusted({ $in: removed }) }, { session });
    }
    // Whoever keeps something made of a classifier knows by this time that it has changed, also within one millisecond.
    const updatedAt = new Date(Math.max(at.getTime(), before.updatedAt.getTime() + 1));
    const written = { ...changes, ...derivedFields({ ...before, ...changes }), updatedAt };
    await classifiers.updateOne({ _id: before._id }, { $set: written }, { session });
    return { after: { ...before, ...written }, otherExamples };
  }

  async function remove(classifier: ClassifierDocument, session: ClientSession): Promise<void> {
    await classifiers.deleteOne({ _id: classifier._id }, { session });
    await examples.deleteMany({ classifierId: classifier._id }, { session });
    await claims.release(classifier, session);
  }

  return {
    async find(classifierId) {
      return (await classifiers.findById(classifierId).lean()) ?? undefined;
    },

    async list({ organizationId, projectId, limit, before }) {
      const older = before === undefined ? {} : { _id: trusted({ $lt: before }) };
      const query = classifiers.find({ organizationId, listedIn: projectId, ...older }).sort({ _id: -1 });
      return limit === undefined ? query.lean() : query.limit(limit).lean();
    },

    async routingTo(organizationId, { modelId, deploymentId }) {
      const target = deploymentId === null ? { "routes.modelId": modelId } : { "routes.deploymentId": deploymentId };
      return classifiers
        .find({ organizationId, ...target })
        .sort({ _id: -1 })
        .lean();
    },

    async insert(classifier, texts, call) {
      const work = async (session: ClientSession) => {
        const { projectId } = classifier;
        if (projectId === null) throw new Error("a classifier is created project-scoped");
        if (await deletedProjects.has(projectId, session)) return { outcome: "gone" as const };
        await claims.claim(classifier, session);
        await classifiers.create([classifier], { session });
        const documents = [...texts].flatMap(([_id, of]) =>
          of.length === 0 ? [] : [{ _id, classifierId: classifier._id, texts: [...of] }],
        );
        if (documents.length > 0) await examples.insertMany(documents, { session });
        await noteAll(call, [toCreation(classifier)], session);
        return { outcome: "done" as const };
      };
      return claiming(work, ({ outcome }) => (outcome === "done" ? call?.answer(classifier) : undefined));
    },

    async change<Refusal>(
      classifierId: string,
      at: Date,
      decide: (classifier: ClassifierDocument) => Verdict<Refusal>,
      call?: ChangingCall,
    ): Promise<ChangeResult<Refusal>> {
      const work = async (session: ClientSession): Promise<ChangeResult<Refusal>> => {
        const classifier = await classifiers.findById(classifierId, null, { session }).lean();
        if (classifier === null) return { outcome: "gone" };
        const decided = decide(classifier);
        switch (decided.verdict) {
          case "again":
            return { outcome: "again" };
          case "refuse":
            return { outcome: "refused", refusal: decided.refusal };
          case "remove":
            await remove(classifier, session);
            await noteAll(call, [toDeletion(classifier)], session);
            return { outcome: "done", classifier };
          case "change": {
            const { changes, examples: texts = new Map() } = decided;
            const { projectId } = classifier;
            if (projectId !== null && (await deletedProjects.has(projectId, session))) return { outcome: "gone" };
            for (const entered of projectsEntered(classifier, changes)) {
              if (!(await deletedProjects.has(entered, session))) continue;
              return { outcome: "project-gone", projectId: entered };
            }
            const { after, otherExamples } = await write(classifier, changes, texts, at, session);
            await noteAll(call, getChanges(classifier, after, otherExamples), session);
            return { outcome: "done", classifier: after };
          }
        }
      };
      return claiming(work, (result) => (result.outcome === "done" ? call?.answer(result.classifier) : undefined));
    },

    async getExamples(classifierId, routeIds) {
      const wanted = routeIds === undefined ? {} : { _id: trusted({ $in: [...routeIds] }) };
      const documents = await examples.find({ classifierId, ...wanted }).lean();
      return new Map(documents.map(({ _id, texts }) => [_id, texts]));
    },
  };
}

/** The projects that a classifier comes or leads into by a change, and did not before. */
function projectsEntered(before: ClassifierDocument, { projectId, routes = [] }: ClassifierChanges): Set<string> {
  const known = new Set(before.routes.map(({ id }) => id));
  const added = routes.filter(({ id }) => !known.has(id)).map((route) => route.projectId);
  return new Set(projectId == null || projectId === before.projectId ? added : [projectId, ...added]);
}
