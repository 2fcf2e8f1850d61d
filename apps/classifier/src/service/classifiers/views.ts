import type { HandlerContext } from "@connectrpc/connect";
import type { Classifier, ClassifierDetail } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions } from "@switchyard/rpc";
import { toCandidates } from "../../domain/decision/candidates.ts";
import type { ClassifierDocument } from "../../store/classifier-document.ts";
import type { Dependencies } from "../dependencies.ts";
import { classifierDetailMessage, classifierMessage } from "./messages.ts";
import type { NamedProject } from "./messages.ts";
import { exclusionReasons } from "../reasons.ts";
import { candidateTarget, cover, resolveTargets } from "../routes/targets.ts";

/** Makes messages of a classifier, from what was asked of others once: nothing is asked when a message is made. */
export interface ClassifierView {
  /** Whether every route of the classifier, as it is now, was among those that were asked for. */
  shows: (classifier: ClassifierDocument) => boolean;
  /** As lists show it. */
  entry: (classifier: ClassifierDocument) => Classifier;
  /** With its settings and the routes that are out. */
  detail: (classifier: ClassifierDocument) => ClassifierDetail;
}

/** Prepares the messages of classifiers. */
export function createViews({ targets, projects }: Pick<Dependencies, "targets" | "projects">) {
  /** The project of a project classifier by id and name. */
  async function ownProject(projectId: string | null, context: HandlerContext): Promise<NamedProject | undefined> {
    if (projectId === null) return undefined;
    const found = await projects.resolveProjects({ projectIds: [projectId] }, callOptions(context));
    return found.projects.find(({ id }) => id === projectId);
  }

  return {
    /** Asks for the targets of a classifier's routes, and for the name of its project. */
    async of(
      { routes, projectId }: Pick<ClassifierDocument, "routes" | "projectId">,
      context: HandlerContext,
    ): Promise<ClassifierView> {
      const [resolved, own] = await Promise.all([
        resolveTargets(targets, routes, callOptions(context)),
        ownProject(projectId, context),
      ]);
      return {
        shows: (classifier) => cover(resolved, classifier.routes),
        entry: (classifier) => classifierMessage(classifier, resolved, own),
        detail(classifier) {
          const candidates = toCandidates(classifier.routes.map((route) => candidateTarget(route, resolved)));
          const excluded = candidates.flatMap(({ routeId, excluded: reason }) =>
            reason === null ? [] : [{ routeId, reason: exclusionReasons[reason] }],
          );
          return classifierDetailMessage(classifier, resolved, own, excluded);
        },
      };
    },
  };
}
