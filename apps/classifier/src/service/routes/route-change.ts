import type { HandlerContext } from "@connectrpc/connect";
import { getCaller, canReachProject } from "@switchyard/access";
import type { RouteDetail, UpdateRouteRequest } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions, invalid } from "@switchyard/rpc";
import { routeChange } from "../../domain/administration/classifier-change.ts";
import type { RouteChange } from "../../domain/administration/classifier-change.ts";
import { listReplacing } from "../../domain/administration/route-list.ts";
import type { ClassifierDocument, RouteDocument } from "../../store/classifier-document.ts";
import type { PreparedChange } from "../classifiers/administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { routeDetailMessage, getTargetName } from "../classifiers/messages.ts";
import { checkTarget, getTargetFields } from "./new-routes.ts";
import { toVerdict } from "../refusals.ts";
import { resolveTargets } from "./targets.ts";
import type { Targets } from "./targets.ts";

/** A target's field in the errors of a PATCH, which names the deployment only. */
const targetField = "targetDeploymentId";

/**
 * Prepares the change of a route. Another target is checked as a new route's is; the old one sent again is not, so that a route into
 * a project out of the caller's reach, or to a target that is gone, can still be changed in everything else.
 */
export async function prepareRouteChange(
  { classifiers, targets }: Pick<Dependencies, "classifiers" | "targets">,
  classifier: ClassifierDocument,
  route: RouteDocument,
  request: UpdateRouteRequest,
  context: HandlerContext,
): Promise<PreparedChange<RouteDetail>> {
  const outcome = routeChange(request);
  if (outcome.kind === "faults") throw invalid(outcome.faults);
  const { change } = outcome;
  const { modelId } = route;
  const { targetDeploymentId: deploymentId = route.deploymentId } = change;
  const [resolved, examples] = await Promise.all([
    resolveTargets(targets, [{ modelId, deploymentId }], callOptions(context)),
    classifiers.getExamples(classifier._id),
  ]);
  const moved = deploymentId !== route.deploymentId;
  const fields = { model: targetField, deployment: targetField };
  const target = moved
    ? getTargetFields(await checkTarget(targets, resolved, { modelId, deploymentId }, fields, classifier, context))
    : {};
  const texts = change.examples ?? examples.get(route.id) ?? [];
  const visible = canReachProject(getCaller(context), route.projectId) ? texts : [];
  return {
    decide({ routes }) {
      const current = routes.find(({ id }) => id === route.id);
      // The route is gone, or leads elsewhere than where it was read: what was asked of its target is no longer of use.
      if (current?.targetKey !== route.targetKey) return { verdict: "again" };
      const next = laidOver({ ...current, ...target }, change, resolved);
      const changed = change.examples === undefined ? new Map() : new Map([[route.id, change.examples]]);
      return toVerdict(listReplacing(routes, next), changed);
    },
    answer({ routes }) {
      const current = routes.find(({ id }) => id === route.id) ?? route;
      return routeDetailMessage(current, resolved, visible);
    },
  };
}

function laidOver(route: RouteDocument, change: RouteChange, targets: Targets): RouteDocument {
  const { name, description, minConfidence, enabled } = change;
  return {
    ...route,
    ...(name === undefined ? {} : { name: name === "" ? getTargetName(route, targets) : name }),
    ...(description === undefined ? {} : { description }),
    ...(minConfidence === undefined ? {} : { minConfidence }),
    ...(enabled === undefined ? {} : { enabled }),
  };
}
