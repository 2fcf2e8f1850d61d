import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { canUseClassifier, getCaller, requireReach } from "@switchyard/access";
import type { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions, notFound } from "@switchyard/rpc";
import { toCandidates } from "../../domain/decision/candidates.ts";
import type { RouteDocument } from "../../store/classifier-document.ts";
import type { Dependencies } from "../dependencies.ts";
import { toRouteTarget, resolveTargets } from "./targets.ts";

type Rpcs = Pick<ServiceImpl<typeof ClassifierService>, "listTargetRoutes">;

/** Creates the RPC that lists the routes to a model or deployment. */
export function createTargetRouteRpcs({ classifiers, targets }: Dependencies): Rpcs {
  /** Finds the model or the deployment with this ID. The model is also returned for a deployment. */
  async function findTarget(id: string, context: HandlerContext) {
    const find = async (modelId: string, deploymentId: string | null) =>
      (await resolveTargets(targets, [{ modelId, deploymentId }], callOptions(context))).get({ modelId, deploymentId });
    const named = await find(id, id);
    const owner = named?.deployment === undefined ? undefined : await find(named.deployment.modelId, null);
    const model = named?.model ?? owner?.model;
    const caller = getCaller(context);
    if (model?.organizationId !== caller.organizationId) throw notFound("deployment", id, "deploymentId");
    requireReach(caller, model.projectId);
    return { model, deployment: named?.deployment };
  }

  return {
    async listTargetRoutes({ targetId }, context) {
      const { model, deployment } = await findTarget(targetId, context);
      const caller = getCaller(context);
      const found = await classifiers.listRoutingTo(caller.organizationId, {
        modelId: model.id,
        deploymentId: deployment?.id ?? null,
      });
      const usable = found.filter((classifier) => canUseClassifier(caller, classifier));
      const leadsToTarget = (route: RouteDocument): boolean =>
        route.modelId === model.id && (deployment === undefined || route.deploymentId === deployment.id);
      const shown = usable.filter(({ routes }) => routes.some(leadsToTarget));
      const everyRoute = shown.flatMap(({ routes }) => routes);
      const resolved = await resolveTargets(targets, everyRoute, callOptions(context));
      return {
        routes: shown.flatMap(({ _id, name, projectId, routes }) => {
          const others = routes.filter((route) => !leadsToTarget(route));
          const candidates = toCandidates(others.map((route) => toRouteTarget(route, resolved)));
          const candidatesLeft = candidates.filter(({ excluded }) => excluded === null).length;
          const classifier = { id: _id, name, isGlobal: projectId === null };
          return routes
            .filter(leadsToTarget)
            .map((route) => ({ classifier, routeId: route.id, routeName: route.name, candidatesLeft }));
        }),
      };
    },
  };
}
