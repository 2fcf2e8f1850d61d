import type { HandlerContext } from "@connectrpc/connect";
import { getCaller, canReachProject } from "@switchyard/access";
import type { RouteDetail, UpdateRouteRequest } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions, invalid } from "@switchyard/rpc";
import { parseRouteChange } from "../../domain/administration/classifier-change.ts";
import type { RouteChange } from "../../domain/administration/classifier-change.ts";
import { replaceRoute } from "../../domain/administration/route-list.ts";
import type { ClassifierDocument, RouteDocument } from "../../store/classifier-document.ts";
import type { PreparedChange } from "../classifiers/administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { toRouteDetailMessage, getTargetName } from "../classifiers/messages.ts";
import { checkTarget, getTargetFields } from "./new-routes.ts";
import { toChangeDecision } from "../refusals.ts";
import { resolveTargets } from "./targets.ts";
import type { Targets } from "./targets.ts";

/** The field of the target in the errors of a PATCH, which can change the deployment only. */
const targetField = "targetDeploymentId";

/**
 * Prepares the change of a route. A new target is checked like that of a new route. An unchanged target is not checked, so that the
 * other fields of a route can be changed even if its target was deleted or its project is out of the caller's reach.
 */
export async function prepareRouteChange(
  { classifiers, targets }: Pick<Dependencies, "classifiers" | "targets">,
  classifier: ClassifierDocument,
  route: RouteDocument,
  request: UpdateRouteRequest,
  context: HandlerContext,
): Promise<PreparedChange<RouteDetail>> {
  const outcome = parseRouteChange(request);
  if (outcome.kind === "invalid") throw invalid(outcome.violations);
  const { change } = outcome;
  const { modelId } = route;
  const { targetDeploymentId: deploymentId = route.deploymentId } = change;
  const [resolved, examples] = await Promise.all([
    resolveTargets(targets, [{ modelId, deploymentId }], callOptions(context)),
    classifiers.getExamples(classifier._id),
  ]);
  const targetChanged = deploymentId !== route.deploymentId;
  const fields = { model: targetField, deployment: targetField };
  const target = targetChanged
    ? getTargetFields(await checkTarget(targets, resolved, { modelId, deploymentId }, fields, classifier, context))
    : {};
  const texts = change.examples ?? examples.get(route.id) ?? [];
  const visible = canReachProject(getCaller(context), route.projectId) ? texts : [];
  return {
    decide({ routes }) {
      const current = routes.find(({ id }) => id === route.id);
      // The route was deleted or has another target by now, so the target that was checked no longer applies.
      if (current?.targetKey !== route.targetKey) return { action: "retry" };
      const next = applyChange({ ...current, ...target }, change, resolved);
      const changed = change.examples === undefined ? new Map() : new Map([[route.id, change.examples]]);
      return toChangeDecision(replaceRoute(routes, next), changed);
    },
    toResponse({ routes }) {
      const current = routes.find(({ id }) => id === route.id) ?? route;
      return toRouteDetailMessage(current, resolved, visible);
    },
  };
}

function applyChange(route: RouteDocument, change: RouteChange, targets: Targets): RouteDocument {
  const { name, description, minConfidence, enabled } = change;
  return {
    ...route,
    ...(name === undefined ? {} : { name: name === "" ? getTargetName(route, targets) : name }),
    ...(description === undefined ? {} : { description }),
    ...(minConfidence === undefined ? {} : { minConfidence }),
    ...(enabled === undefined ? {} : { enabled }),
  };
}
