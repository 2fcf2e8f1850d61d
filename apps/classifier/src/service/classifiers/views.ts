import type { HandlerContext } from "@connectrpc/connect";
import type { Classifier, ClassifierDetail } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions } from "@switchyard/rpc";
import { toCandidates } from "../../domain/decision/candidates.ts";
import type { ClassifierDocument } from "../../store/classifier-document.ts";
import type { Dependencies } from "../dependencies.ts";
import { toClassifierDetailMessage, toClassifierMessage } from "./messages.ts";
import type { NamedProject } from "./messages.ts";
import { exclusionReasons } from "../reasons.ts";
import { toRouteTarget, coverRoutes, resolveTargets } from "../routes/targets.ts";

/** Creates messages of a classifier from data that was loaded once. Creating a message makes no calls. */
export interface ClassifierView {
  /** Whether the targets of all routes of the classifier were loaded. */
  covers: (classifier: ClassifierDocument) => boolean;
  /** Returns the message as lists contain it. */
  toMessage: (classifier: ClassifierDocument) => Classifier;
  /** Returns the message with settings and excluded routes. */
  toDetailMessage: (classifier: ClassifierDocument) => ClassifierDetail;
}

/** Creates the loader of classifier views. */
export function createViews({ targets, projects }: Pick<Dependencies, "targets" | "projects">) {
  async function findOwnProject(projectId: string | null, context: HandlerContext): Promise<NamedProject | undefined> {
    if (projectId === null) return undefined;
    const found = await projects.resolveProjects({ projectIds: [projectId] }, callOptions(context));
    return found.projects.find(({ id }) => id === projectId);
  }

  return {
    /** Loads the targets of a classifier's routes and the name of its project. */
    async load(
      { routes, projectId }: Pick<ClassifierDocument, "routes" | "projectId">,
      context: HandlerContext,
    ): Promise<ClassifierView> {
      const [resolved, own] = await Promise.all([
        resolveTargets(targets, routes, callOptions(context)),
        findOwnProject(projectId, context),
      ]);
      return {
        covers: (classifier) => coverRoutes(resolved, classifier.routes),
        toMessage: (classifier) => toClassifierMessage(classifier, resolved, own),
        toDetailMessage(classifier) {
          const candidates = toCandidates(classifier.routes.map((route) => toRouteTarget(route, resolved)));
          const excluded = candidates.flatMap(({ routeId, excluded: reason }) =>
            reason === null ? [] : [{ routeId, reason: exclusionReasons[reason] }],
          );
          return toClassifierDetailMessage(classifier, resolved, own, excluded);
        },
      };
    },
  };
}
