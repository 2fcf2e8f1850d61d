import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller, canReachProject } from "@switchyard/access";
import { DeleteRouteResponseSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { ClassifierService, RouteDetail } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions, invalid } from "@switchyard/rpc";
import { validateRoute } from "../../domain/administration/classifier-input.ts";
import { appendRoute } from "../../domain/administration/route-list.ts";
import type { ClassifierDocument, RouteDocument } from "../../store/classifier-document.ts";
import { administer } from "../classifiers/administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { findReadableClassifier } from "../lookup.ts";
import { toRouteDetailMessage } from "../classifiers/messages.ts";
import { createRoutes } from "./new-routes.ts";
import { routeNotFound, toChangeDecision } from "../refusals.ts";
import { prepareRouteChange } from "./route-change.ts";
import { resolveTargets } from "./targets.ts";

type Rpcs = Pick<
  ServiceImpl<typeof ClassifierService>,
  "addRoute" | "listRoutes" | "getRoute" | "updateRoute" | "deleteRoute"
>;

/** Creates the RPCs that add, read, change and delete the routes of a classifier. */
export function createRouteRpcs(dependencies: Dependencies): Rpcs {
  const { classifiers, targets } = dependencies;
  return {
    addRoute: (request, context) =>
      administer(dependencies, request.classifierId, context, async (checked) => {
        const violations = validateRoute(request);
        if (violations.length > 0) throw invalid(violations);
        const created = await createRoutes(dependencies, [request], [""], checked, context);
        const [route] = created.routes as [RouteDocument];
        return {
          decide: ({ routes }) => toChangeDecision(appendRoute(routes, route), new Map([[route.id, request.examples]])),
          toResponse: () => toRouteDetailMessage(route, created.targets, request.examples),
        };
      }),

    async listRoutes({ classifierId }, context) {
      const classifier = await findReadableClassifier(dependencies, classifierId, context);
      return { routes: await loadDetails(classifier, classifier.routes, context) };
    },

    async getRoute({ classifierId, routeId }, context) {
      const classifier = await findReadableClassifier(dependencies, classifierId, context);
      const [route] = (await loadDetails(classifier, [findRoute(classifier, routeId)], context)) as [RouteDetail];
      return route;
    },

    updateRoute: (request, context) =>
      administer(dependencies, request.classifierId, context, (checked) =>
        prepareRouteChange(dependencies, checked, findRoute(checked, request.routeId), request, context),
      ),

    deleteRoute: ({ classifierId, routeId }, context) =>
      administer(dependencies, classifierId, context, async () => ({
        decide({ routes }) {
          const kept = routes.filter(({ id }) => id !== routeId);
          return kept.length === routes.length
            ? { action: "refuse", refusal: routeNotFound(routeId) }
            : { action: "change", changes: { routes: kept } };
        },
        toResponse: () => create(DeleteRouteResponseSchema),
      })),
  };

  /** Returns the messages of routes. Only callers who reach the project of a route get its examples. */
  async function loadDetails(
    classifier: ClassifierDocument,
    routes: readonly RouteDocument[],
    context: HandlerContext,
  ) {
    const caller = getCaller(context);
    const [resolved, examples] = await Promise.all([
      resolveTargets(targets, routes, callOptions(context)),
      classifiers.getExamples(classifier._id),
    ]);
    const examplesFor = ({ id, projectId }: RouteDocument) =>
      canReachProject(caller, projectId) ? (examples.get(id) ?? []) : [];
    return routes.map((route) => toRouteDetailMessage(route, resolved, examplesFor(route)));
  }
}

function findRoute({ routes }: ClassifierDocument, routeId: string): RouteDocument {
  const route = routes.find(({ id }) => id === routeId);
  if (route === undefined) throw routeNotFound(routeId);
  return route;
}
