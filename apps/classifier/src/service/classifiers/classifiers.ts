import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { getCaller } from "@switchyard/access";
import { toNote } from "@switchyard/change-feed";
import { DeleteClassifierResponseSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type {
  ClassifierService,
  CreateClassifierRequest,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { callOptions, conflict, invalid, notFound } from "@switchyard/rpc";
import { newId, openPage } from "@switchyard/storage";
import type { AuditedChange } from "../../domain/administration/audited-change.ts";
import { parseClassifierChange } from "../../domain/administration/classifier-change.ts";
import { keepEngines, validateClassifier, toSettings } from "../../domain/administration/classifier-input.ts";
import type { FindModels } from "../../domain/administration/classifier-input.ts";
import { maxRoutes, findDuplicateIndex } from "../../domain/administration/route-list.ts";
import { deriveFields } from "../../store/classifier-document.ts";
import type { ClassifierDocument, RouteDocument } from "../../store/classifier-document.ts";
import { administer } from "./administration.ts";
import type { Dependencies } from "../dependencies.ts";
import { findProject, findReadableClassifier } from "../lookup.ts";
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
  const { classifiers, targets, quotas, pageTokens, now } = dependencies;
  const views = createViews(dependencies);

  /** Returns the function that finds the models of an engine that the organization of the caller may use. */
  const findModelsFor = (context: HandlerContext): FindModels => {
    const { organizationId } = getCaller(context);
    return (engine) => dependencies.engines.find(organizationId, engine)?.models;
  };

  return {
    async createClassifier(request, context) {
      const violations = validateClassifier(request, findModelsFor(context));
      if (violations.length > 0) throw invalid(violations);
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
      const response = toClassifierMessage(classifier, created.targets, project);
      const call = {
        toResponse: () => response,
        note: (change: AuditedChange) => toNote(context, { ...change, at: classifier.createdAt }),
      };
      const { classifiers: quota } = await quotas.get(organizationId);
      const { outcome } = await classifiers.insert(classifier, examples, call, quota);
      if (outcome === "name-taken") throw nameTaken();
      if (outcome === "not-found") throw notFound("project", request.projectId, "projectId");
      return response;
    },

    async listClassifiers(request, context) {
      const { projectId, limit, pageToken } = request;
      if (projectId === "") throw invalid([{ field: "projectId", message: "is required" }]);
      const isPaged = limit !== undefined || pageToken !== "";
      const query = { organizationId: getCaller(context).organizationId, projectId };
      const page = isPaged ? openPage(pageTokens, query, request) : undefined;
      const project = await findProject(dependencies, projectId, context);
      const found = await classifiers.list({
        ...query,
        ...(page && { limit: page.size + 1 }),
        ...(page?.after === undefined ? {} : { before: page.after }),
      });
      const { items, ...next } = page?.take(found, ({ _id }) => _id) ?? { items: found };
      const routes = items.flatMap((classifier) => classifier.routes);
      const resolved = await resolveTargets(targets, routes, callOptions(context));
      return {
        classifiers: items.map((classifier) => toClassifierMessage(classifier, resolved, project)),
        ...next,
      };
    },

    async getClassifier({ classifierId }, context) {
      const classifier = await findReadableClassifier(dependencies, classifierId, context);
      return (await views.load(classifier, context)).toDetailMessage(classifier);
    },

    updateClassifier: (request, context) =>
      administer(dependencies, request.classifierId, context, async (checked) => {
        const outcome = parseClassifierChange(request, keepEngines(findModelsFor(context), checked.settings));
        if (outcome.kind === "invalid") throw invalid(outcome.violations);
        const view = await views.load(checked, context);
        return {
          decide: (current) =>
            view.covers(current) ? { action: "change", changes: outcome.change } : { action: "retry" },
          toResponse: view.toMessage,
        };
      }),

    deleteClassifier: ({ classifierId }, context) =>
      administer(dependencies, classifierId, context, async () => ({
        decide: () => ({ action: "remove" }),
        toResponse: () => create(DeleteClassifierResponseSchema),
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
