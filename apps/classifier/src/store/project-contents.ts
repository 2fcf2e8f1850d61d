import type { DeletedProject, ProjectContents, Storage } from "@switchyard/storage";
import { trusted } from "mongoose";
import type { ClassifierModels } from "./classifier-document.ts";
import { createNameClaims } from "./name-claims.ts";

/**
 * What this service keeps of a project: its classifiers, with their examples and names, and the routes of global classifiers into it.
 * Classification records are no part of it: they stay readable.
 */
export function createProjectContents(
  storage: Pick<Storage, "atomically">,
  models: ClassifierModels,
  now: () => Date,
): ProjectContents {
  const { classifiers, examples } = models;
  const claims = createNameClaims(models.claims);

  async function removeClassifier(classifierId: string, projectId: string): Promise<void> {
    await storage.atomically(async (session) => {
      // One that was made global meanwhile survives.
      const classifier = await classifiers.findOneAndDelete({ _id: classifierId, projectId }, { session }).lean();
      if (classifier === null) return;
      await examples.deleteMany({ classifierId }, { session });
      await claims.releaseInProject({ ...classifier, classifierId }, session);
    });
  }

  async function removeRoutes(classifierId: string, projectId: string): Promise<void> {
    await storage.atomically(async (session) => {
      const classifier = await classifiers.findOne({ _id: classifierId, projectId: null }, null, { session }).lean();
      if (classifier === null) return;
      const routes = classifier.routes.filter((route) => route.projectId !== projectId);
      const routeProjectIds = [...new Set(routes.map((route) => route.projectId))];
      const change = { routes, routeCount: routes.length, routeProjectIds, updatedAt: now() };
      await classifiers.updateOne({ _id: classifierId }, { $set: change }, { session });
      const removed = classifier.routes.filter((route) => route.projectId === projectId).map(({ id }) => id);
      await examples.deleteMany({ _id: trusted({ $in: removed }) }, { session });
    });
  }

  return {
    async removeProject({ projectId, organizationId }: DeletedProject) {
      const idsOf = async (filter: object): Promise<string[]> =>
        (await classifiers.find({ organizationId, ...filter }, { _id: 1 }).lean()).map(({ _id }) => _id);
      for (const id of await idsOf({ projectId })) await removeClassifier(id, projectId);
      for (const id of await idsOf({ projectId: null, routeProjectIds: projectId })) await removeRoutes(id, projectId);
    },
  };
}
