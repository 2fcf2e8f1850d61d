import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller, canReachProject } from "@switchyard/access";
import { DeleteRouteResponseSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { ClassifierService, RouteDetail } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions, invalid } from "@switchyard/rpc";
import { validateRoute } from "../../domain/administration/classifier-input.ts";
import { listWith } from "../../domain/administration/route-list.ts";
import type { ClassifierDocument, RouteDocument } from "../../store/classifier-document.ts";
import { administer } from "../classifiers/administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { assertReadable, findClassifier } from "../lookup.ts";
import { routeDetailMessage } from "../classifiers/messages.ts";
import { makeRoutes } from "./new-routes.ts";
import { noSuchRoute, toVerdict } from "../refusals.ts";
import { prepareRouteChange } from "./route-change.ts";
import { resolveTargets } from "./targets.ts";

type Rpcs = Pick<
  ServiceImpl<typeof ClassifierService>,
  "addRoute" | "listRoutes" | "getRoute" | "updateRoute" | "deleteRoute"
>;

/** The RPCs about the routes of a classifier. */
export function createRouteRpcs(dependencies: Dependencies): Rpcs {
  const { classifiers, targets } = dependencies;
  return {
    addRoute: (request, context) =>
      administer(dependencies, request.classifierId, context, async (checked) => {
        const faults = validateRoute(request);
        if (faults.length > 0) throw invalid(faults);
        const made = await makeRoutes(dependencies, [request], [""], checked, context);
        const [route] = made.routes as [RouteDocument];
        return {
          decide: ({ routes }) => toVerdict(listWith(routes, route), new Map([[route.id, request.examples]])),
          answer: () => routeDetailMessage(route, made.targets, request.examples),
        };
      }),

    async listRoutes({ classifierId }, context) {
      const classifier = await readable(classifierId, context);
      return { routes: await details(classifier, classifier.routes, context) };
    },

    async getRoute({ classifierId, routeId }, context) {
      const classifier = await readable(classifierId, context);
      const [route] = (await details(classifier, [findRoute(classifier, routeId)], context)) as [RouteDetail];
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
            ? { verdict: "refuse", refusal: noSuchRoute(routeId) }
            : { verdict: "change", changes: { routes: kept } };
        },
        answer: () => create(DeleteRouteResponseSchema),
      })),
  };

  async function readable(classifierId: string, context: HandlerContext): Promise<ClassifierDocument> {
    const classifier = await findClassifier(dependencies, classifierId, context);
    assertReadable(classifier, context);
    return classifier;
  }

  /** Routes with all that was said of them; examples only to callers who reach their project. */
  async function details(classifier: ClassifierDocument, routes: readonly RouteDocument[], context: HandlerContext) {
    const caller = getCaller(context);
    const [resolved, examples] = await Promise.all([
      resolveTargets(targets, routes, callOptions(context)),
      classifiers.getExamples(classifier._id),
    ]);
    const examplesFor = ({ id, projectId }: RouteDocument) =>
      canReachProject(caller, projectId) ? (examples.get(id) ?? []) : [];
    return routes.map((route) => routeDetailMessage(route, resolved, examplesFor(route)));
  }
}

function findRoute({ routes }: ClassifierDocument, routeId: string): RouteDocument {
  const route = routes.find(({ id }) => id === routeId);
  if (route === undefined) throw noSuchRoute(routeId);
  return route;
}
