import type { DeletedProject, ProjectContents } from "@switchyard/change-feed";
import type { ClassifierModels } from "./classifier-document.ts";
import type { ChangeDecision } from "./classifier-writer.ts";
import type { ClassifierStore } from "./classifiers.ts";

/**
 * Removes the contents of deleted projects: classifiers with their examples and names, and routes of global classifiers into the project.
 * Classification records are not removed, so that they stay readable.
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
        await store.change(_id, now(), (classifier): ChangeDecision<undefined> => {
          if (classifier.projectId === projectId) return { action: "remove" };
          // A classifier that was made global meanwhile is kept, without its routes into the project.
          const routes = classifier.routes.filter((route) => route.projectId !== projectId);
          return { action: "change", changes: { routes } };
        });
      }
    },
  };
}
