import type { Message } from "@bufbuild/protobuf";
import type { AuditOutbox, DeletedProjects, NotedChange } from "@switchyard/change-feed";
import { requireQuota } from "@switchyard/storage";
import type { Storage, ToResponse } from "@switchyard/storage";
import { trusted } from "mongoose";
import type { ClientSession } from "mongoose";
import { isDeepStrictEqual } from "node:util";
import { describeChanges, describeCreation, describeDeletion } from "../domain/administration/audited-change.ts";
import type { AuditedChange, TextChange } from "../domain/administration/audited-change.ts";
import { deriveFields, mayHaveUnplacedRecords } from "./classifier-document.ts";
import type { ClassifierDocument, ClassifierModels } from "./classifier-document.ts";
import { createClassifierUsage } from "./classifier-usage.ts";
import { createNameClaims, NameTaken } from "./name-claims.ts";
import type { ReviewedDocumentStore } from "./reviews/reviewed-documents.ts";

/** The examples of routes, by the ID of the route. */
export type ExamplesByRoute = ReadonlyMap<string, readonly string[]>;

/** The new values of the fields of a classifier that are changed. */
export type ClassifierChanges = Partial<
  Pick<ClassifierDocument, "name" | "description" | "settings" | "projectId" | "routes">
>;

/** The decision on the change of a classifier. */
export type ChangeDecision<Refusal> =
  /** Change the classifier. `examples` contains the new examples of routes. Those of removed routes are deleted with them. */
  | { action: "change"; changes: ClassifierChanges; examples?: ExamplesByRoute }
  | { action: "remove" }
  | { action: "refuse"; refusal: Refusal }
  /** The decision is based on outdated data, so the caller is to retry. */
  | { action: "retry" };

/** The result of a change. `classifier` is the classifier after the change, or before its removal. */
export type ChangeResult<Refusal> =
  | { outcome: "done"; classifier: ClassifierDocument }
  | { outcome: "refused"; refusal: Refusal }
  | { outcome: "name-taken" }
  | { outcome: "retry" }
  /** A project that the classifier or a route would belong to was deleted. */
  | { outcome: "project-not-found"; projectId: string }
  /** The classifier does not exist, or its project was deleted. */
  | { outcome: "not-found" };

/** A call that changes a classifier. Its response and its audit entry are committed with the change. */
export interface ChangingCall {
  /** Returns the response, which is stored with the idempotency key. */
  toResponse: (classifier: ClassifierDocument) => Message;
  /** Returns the audit entry for a change. */
  note: (change: AuditedChange) => NotedChange;
}

/** Creates, changes and removes classifiers with their routes. */
export interface ClassifierWriter {
  /**
   * Stores a new project classifier with the examples of its routes. The outcome is `not-found` if its project was deleted. Throws
   * InvalidArgument (QUOTA_EXCEEDED) if the organization then has more than `quota` classifiers; unlimited by default.
   */
  insert(
    classifier: ClassifierDocument,
    examples: ExamplesByRoute,
    call?: ChangingCall,
    quota?: number,
  ): Promise<{ outcome: "done" | "name-taken" | "not-found" }>;
  /**
   * Changes a classifier as `decide` returns. `decide` must have no side effects, as it is called again after a write conflict. Reading,
   * deciding, claiming the name and writing are one transaction. Equal values are not written. If something is written, `updatedAt`
   * increases. The changes of a call are added to the audit outbox.
   */
  change<Refusal>(
    classifierId: string,
    at: Date,
    decide: (classifier: ClassifierDocument) => ChangeDecision<Refusal>,
    call?: ChangingCall,
  ): Promise<ChangeResult<Refusal>>;
}

/** What a writer needs besides the classifiers themselves. */
export interface ClassifierWriterDependencies {
  readonly deletedProjects: Pick<DeletedProjects, "has">;
  readonly outbox: Pick<AuditOutbox, "note">;
  /** What classifiers learn from, which is removed with them. */
  readonly reviewed: Pick<ReviewedDocumentStore, "removeClassifier"> | undefined;
}

/** Creates the writer of classifiers. It writes nothing into deleted projects. */
export function createClassifierWriter(
  storage: Storage,
  models: ClassifierModels,
  { deletedProjects, outbox, reviewed }: ClassifierWriterDependencies,
): ClassifierWriter {
  const { classifiers, examples } = models;
  const claims = createNameClaims(models.claims);
  const usage = createClassifierUsage(storage.connection, models);

  /** Runs a transaction that claims a name. If the name is taken, the transaction is rolled back. */
  async function commitUnlessNameTaken<Result>(
    work: (session: ClientSession) => Promise<Result>,
    toResponse: ToResponse<Result>,
  ): Promise<Result | { outcome: "name-taken" }> {
    try {
      return await storage.atomically(work, toResponse);
    } catch (error) {
      if (error instanceof NameTaken) return { outcome: "name-taken" };
      throw error;
    }
  }

  async function recordChanges(
    call: ChangingCall | undefined,
    changes: readonly AuditedChange[],
    session: ClientSession,
  ): Promise<void> {
    if (call === undefined) return;
    for (const change of changes) await outbox.note(call.note(change), session);
  }

  /** Replaces the examples of routes, and returns those that changed. */
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
  ): Promise<{ after: ClassifierDocument; changedExamples: ReadonlyMap<string, TextChange> }> {
    const different = Object.entries(wanted).filter(
      ([field, value]) => !isDeepStrictEqual(value, before[field as keyof ClassifierChanges]),
    );
    const changes: ClassifierChanges = Object.fromEntries(different);
    const changedExamples = await replaceExamples(before._id, texts, session);
    if (different.length === 0 && changedExamples.size === 0) return { after: before, changedExamples };
    if (changes.name !== undefined || changes.projectId !== undefined) {
      await claims.move(before, { ...before, ...changes }, session);
    }
    /** The counts of removed routes. One of a classification that is running may come later; nobody reads it. */
    const counts: Record<string, 1> = {};
    if (changes.routes !== undefined) {
      const kept = new Set(changes.routes.map(({ id }) => id));
      const removed = before.routes.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
      if (removed.length > 0) await examples.deleteMany({ _id: trusted({ $in: removed }) }, { session });
      for (const id of removed) if (before.wins?.[id] !== undefined) counts[`wins.${id}`] = 1;
    }
    // Caches depend on this time, so it increases with every change, even within one millisecond.
    const updatedAt = new Date(Math.max(at.getTime(), before.updatedAt.getTime() + 1));
    const becomesOwned = before.projectId === null && typeof changes.projectId === "string";
    const written = {
      ...changes,
      ...deriveFields({ ...before, ...changes }),
      ...(becomesOwned ? mayHaveUnplacedRecords : {}),
      updatedAt,
    };
    const update = { $set: written, ...(Object.keys(counts).length === 0 ? {} : { $unset: counts }) };
    await classifiers.updateOne({ _id: before._id }, update, { session });
    return { after: { ...before, ...written }, changedExamples };
  }

  async function remove(classifier: ClassifierDocument, session: ClientSession): Promise<void> {
    await classifiers.deleteOne({ _id: classifier._id }, { session });
    await examples.deleteMany({ classifierId: classifier._id }, { session });
    await reviewed?.removeClassifier(classifier._id, session);
    await claims.release(classifier, session);
    await usage.change(classifier.organizationId, { classifiers: -1 }, session);
  }

  return {
    async insert(classifier, texts, call, quota = Infinity) {
      const work = async (session: ClientSession) => {
        const { projectId } = classifier;
        if (projectId === null) throw new Error("a new classifier must have a project");
        if (await deletedProjects.has(projectId, session)) return { outcome: "not-found" as const };
        await claims.claim(classifier, session);
        await classifiers.create([classifier], { session });
        const added = { classifiers: 1 };
        requireQuota({ classifiers: quota }, await usage.change(classifier.organizationId, added, session), added);
        const documents = [...texts].flatMap(([_id, routeTexts]) =>
          routeTexts.length === 0 ? [] : [{ _id, classifierId: classifier._id, texts: [...routeTexts] }],
        );
        if (documents.length > 0) await examples.insertMany(documents, { session });
        await recordChanges(call, [describeCreation(classifier)], session);
        return { outcome: "done" as const };
      };
      return commitUnlessNameTaken(work, ({ outcome }) =>
        outcome === "done" ? call?.toResponse(classifier) : undefined,
      );
    },

    async change<Refusal>(
      classifierId: string,
      at: Date,
      decide: (classifier: ClassifierDocument) => ChangeDecision<Refusal>,
      call?: ChangingCall,
    ): Promise<ChangeResult<Refusal>> {
      const work = async (session: ClientSession): Promise<ChangeResult<Refusal>> => {
        const classifier = await classifiers.findById(classifierId, null, { session }).lean();
        if (classifier === null) return { outcome: "not-found" };
        const decision = decide(classifier);
        switch (decision.action) {
          case "retry":
            return { outcome: "retry" };
          case "refuse":
            return { outcome: "refused", refusal: decision.refusal };
          case "remove":
            await remove(classifier, session);
            await recordChanges(call, [describeDeletion(classifier)], session);
            return { outcome: "done", classifier };
          case "change": {
            const { changes, examples: texts = new Map() } = decision;
            const { projectId } = classifier;
            if (projectId !== null && (await deletedProjects.has(projectId, session))) return { outcome: "not-found" };
            for (const added of findAddedProjects(classifier, changes)) {
              if (!(await deletedProjects.has(added, session))) continue;
              return { outcome: "project-not-found", projectId: added };
            }
            const { after, changedExamples } = await write(classifier, changes, texts, at, session);
            await recordChanges(call, describeChanges(classifier, after, changedExamples), session);
            return { outcome: "done", classifier: after };
          }
        }
      };
      return commitUnlessNameTaken(work, (result) =>
        result.outcome === "done" ? call?.toResponse(result.classifier) : undefined,
      );
    },
  };
}

/** Returns the projects that the classifier or its new routes belong to after a change. */
function findAddedProjects(before: ClassifierDocument, { projectId, routes = [] }: ClassifierChanges): Set<string> {
  const known = new Set(before.routes.map(({ id }) => id));
  const added = routes.filter(({ id }) => !known.has(id)).map((route) => route.projectId);
  return new Set(projectId == null || projectId === before.projectId ? added : [projectId, ...added]);
}
