import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { callerOf, canReachProject } from "@switchyard/access";
import type { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions, conflict, invalid, notFound } from "@switchyard/rpc";
import { faultsOfRoute } from "../domain/classifier-input.ts";
import type { ClassifierDocument, RouteDocument } from "../store/classifier-document.ts";
import { tooManyRoutes } from "./classifiers.ts";
import type { Dependencies } from "./dependencies.ts";
import { assertAdministrable, assertReadable, findClassifier } from "./lookup.ts";
import { routeDetailMessage } from "./messages.ts";
import { makeRoutes } from "./new-routes.ts";
import { resolveTargets } from "./targets.ts";

type Rpcs = Pick<ServiceImpl<typeof ClassifierService>, "addRoute" | "listRoutes" | "getRoute">;

/** The RPCs about the routes of a classifier. */
export function createRouteRpcs(dependencies: Dependencies): Rpcs {
  const { classifiers, targets, now } = dependencies;
  return {
    async addRoute(request, context) {
      const { classifierId } = request;
      // The scope may change between the check and the write; the write then says so, and the checks are made anew.
      for (;;) {
        const classifier = await findClassifier(dependencies, classifierId, context);
        assertAdministrable(classifier, context);
        const faults = faultsOfRoute(request);
        if (faults.length > 0) throw invalid(faults);
        const made = await makeRoutes(dependencies, [request], [""], classifier, context);
        const [route] = made as [RouteDocument];
        const resolved = await resolveTargets(targets, [route], callOptions(context));
        const answer = () => routeDetailMessage(route, resolved, request.examples);
        const added = await classifiers.addRoute(classifier, route, request.examples, now(), answer);
        switch (added.outcome) {
          case "added":
            return answer();
          case "duplicate": {
            const { existingRouteId } = added;
            throw conflict("ROUTE_EXISTS", "The classifier already has a route to this target.", { existingRouteId });
          }
          case "full":
            throw tooManyRoutes("deploymentId");
          case "target-gone":
            throw notFound("model", request.modelId, "deploymentId");
          case "gone":
            throw notFound("classifier", classifierId, "classifierId");
          case "changed":
            continue;
        }
      }
    },

    async listRoutes({ classifierId }, context) {
      const classifier = await readable(classifierId, context);
      return { routes: await details(classifier, classifier.routes, context) };
    },

    async getRoute({ classifierId, routeId }, context) {
      const classifier = await readable(classifierId, context);
      const routes = classifier.routes.filter(({ id }) => id === routeId);
      const [route] = await details(classifier, routes, context);
      if (route === undefined) throw notFound("route", routeId, "routeId");
      return route;
    },
  };

  async function readable(classifierId: string, context: HandlerContext): Promise<ClassifierDocument> {
    const classifier = await findClassifier(dependencies, classifierId, context);
    assertReadable(classifier, context);
    return classifier;
  }

  /** Routes with all that was said of them; examples only to callers who reach their project. */
  async function details(classifier: ClassifierDocument, routes: readonly RouteDocument[], context: HandlerContext) {
    const caller = callerOf(context);
    const [resolved, examples] = await Promise.all([
      resolveTargets(targets, routes, callOptions(context)),
      classifiers.examplesOf(classifier._id),
    ]);
    const examplesFor = ({ id, projectId }: RouteDocument) =>
      canReachProject(caller, projectId) ? (examples.get(id) ?? []) : [];
    return routes.map((route) => routeDetailMessage(route, resolved, examplesFor(route)));
  }
}
