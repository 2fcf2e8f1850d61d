import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { toNote } from "@switchyard/change-feed";
import { DeleteClassifierResponseSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type {
  ClassifierService,
  CreateClassifierRequest,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions, conflict, invalid, notFound } from "@switchyard/rpc";
import { getPageSize, newId } from "@switchyard/storage";
import { parseClassifierChange } from "../../domain/administration/classifier-change.ts";
import { validateClassifier, toSettings } from "../../domain/administration/classifier-input.ts";
import { maxRoutes, findDuplicateIndex } from "../../domain/administration/route-list.ts";
import { deriveFields } from "../../store/classifier-document.ts";
import type { ClassifierDocument, RouteDocument } from "../../store/classifier-document.ts";
import { administer } from "./administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { assertReadable, findClassifier, findProject } from "../lookup.ts";
import { toClassifierMessage } from "./messages.ts";
import { createRoutes } from "../routes/new-routes.ts";
import { nameTaken, tooManyRoutes } from "../refusals.ts";
import { resolveTargets } from "../routes/targets.ts";
import { createViews } from "./views.ts";

type Rpcs = Pick<
  ServiceImpl<typeof ClassifierService>,
  "createClassifier" | "listClassifiers" | "getClassifier" | "updateClassifier" | "deleteClassifier"
>;

/** Creates the RPCs that create, read, change and delete classifiers. */
export function createClassifierRpcs(dependencies: Dependencies): Rpcs {
  const { classifiers, targets, pageTokens, now } = dependencies;
  const views = createViews(dependencies);
  return {
    async createClassifier(request, context) {
      const faults = validateClassifier(request);
      if (faults.length > 0) throw invalid(faults);
      const project = await findProject(dependencies, request.projectId, context);
      const prefixes = request.routes.map((_, index) => `routes[${index}].`);
      const created = await createRoutes(dependencies, request.routes, prefixes, { projectId: project.id }, context);
      const duplicate = findDuplicateIndex(created.routes);
      if (duplicate !== undefined) {
        throw conflict("ROUTE_EXISTS", `routes[${duplicate}] has the same target as an earlier one.`);
      }
      if (created.routes.length > maxRoutes) throw tooManyRoutes("routes");
      const { organizationId, userId } = getCaller(context);
      const classifier = createDocument(request, created.routes, organizationId, userId, now());
      const examples = new Map(created.routes.map(({ id }, index) => [id, request.routes[index]?.examples ?? []]));
      const answer = toClassifierMessage(classifier, created.targets, project);
      const { outcome } = await classifiers.insert(classifier, examples, {
        answer: () => answer,
        note: (change) => toNote(context, { ...change, at: classifier.createdAt }),
      });
      if (outcome === "name-taken") throw nameTaken();
      if (outcome === "not-found") throw notFound("project", request.projectId, "projectId");
      return answer;
    },

    async listClassifiers(request, context) {
      const { projectId, limit, pageToken } = request;
      if (projectId === "") throw invalid([{ field: "projectId", message: "is required" }]);
      const paged = limit !== undefined || pageToken !== "";
      const size = paged ? getPageSize(limit) : undefined;
      const query = { organizationId: getCaller(context).organizationId, projectId };
      const [before] = pageToken === "" ? [] : pageTokens.decode(query, pageToken);
      const project = await findProject(dependencies, projectId, context);
      const found = await classifiers.list({
        ...query,
        ...(size === undefined ? {} : { limit: size + 1 }),
        ...(before === undefined ? {} : { before }),
      });
      const page = size === undefined ? found : found.slice(0, size);
      const last = page.at(-1);
      const routes = page.flatMap((classifier) => classifier.routes);
      const resolved = await resolveTargets(targets, routes, callOptions(context));
      return {
        classifiers: page.map((classifier) => toClassifierMessage(classifier, resolved, project)),
        ...(found.length > page.length && last !== undefined
          ? { nextPageToken: pageTokens.encode(query, [last._id]) }
          : {}),
      };
    },

    async getClassifier({ classifierId }, context) {
      const classifier = await findClassifier(dependencies, classifierId, context);
      assertReadable(classifier, context);
      return (await views.load(classifier, context)).toDetailMessage(classifier);
    },

    updateClassifier: (request, context) =>
      administer(dependencies, request.classifierId, context, async (checked) => {
        const outcome = parseClassifierChange(request);
        if (outcome.kind === "faults") throw invalid(outcome.faults);
        const view = await views.load(checked, context);
        return {
          decide: (current) =>
            view.covers(current) ? { action: "change", changes: outcome.change } : { action: "retry" },
          answer: view.toMessage,
        };
      }),

    deleteClassifier: ({ classifierId }, context) =>
      administer(dependencies, classifierId, context, async () => ({
        decide: () => ({ action: "remove" }),
        answer: () => create(DeleteClassifierResponseSchema),
      })),
  };
}

function createDocument(
  { projectId, name, description, settings }: CreateClassifierRequest,
  routes: RouteDocument[],
  organizationId: string,
  createdBy: string,
  at: Date,
): ClassifierDocument {
  return {
    _id: newId("clf"),
    organizationId,
    projectId,
    name: name.trim(),
    description,
    settings: toSettings(settings),
    routes,
    ...deriveFields({ projectId, routes }),
    classificationCount: 0,
    createdAt: at,
    updatedAt: at,
    createdBy,
  };
}
