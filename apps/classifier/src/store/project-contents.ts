import type { DeletedProject, ProjectContents } from "@switchyard/change-feed";
import type { ClassifierModels } from "./classifier-document.ts";
import type { ClassifierStore, Verdict } from "./classifiers.ts";

/**
 * What this service keeps of a project: its classifiers, with their examples and names, and the routes of global classifiers into it.
 * Classification records are no part of it: they stay readable.
 */
export function createProjectContents(
  store: Pick<ClassifierStore, "change">,
  { classifiers }: Pick<ClassifierModels, "classifiers">,
  now: () => Date,
): ProjectContents {
  return {
    async removeProject({ projectId, organizationId }: DeletedProject) {
      const found = await classifiers.find({ organizationId, listedIn: projectId }, { _id: 1 }).lean();
      for (const { _id } of found) {
        await store.change(_id, now(), (classifier): Verdict<undefined> => {
          if (classifier.projectId === projectId) return { verdict: "remove" };
          // One that was made global meanwhile survives, without its routes into the project.
          const routes = classifier.routes.filter((route) => route.projectId !== projectId);
          return { verdict: "change", changes: { routes } };
        });
      }
    },
  };
}
