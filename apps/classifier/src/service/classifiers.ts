import type { ServiceImpl } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { callerOf } from "@switchyard/access";
import type {
  ClassifierService,
  ClassifierSettings,
  CreateClassifierRequest,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { HandlerContext } from "@connectrpc/connect";
import { callOptions, conflict, invalid, notFound, problem } from "@switchyard/rpc";
import { limitOf, newId } from "@switchyard/storage";
import { candidatesOf } from "../domain/candidates.ts";
import { faultsOfClassifier } from "../domain/classifier-input.ts";
import type { ClassifierDocument, RouteDocument, SettingsDocument } from "../store/classifier-document.ts";
import { maximumRoutes } from "../store/classifiers.ts";
import type { NamedChange } from "../store/classifiers.ts";
import type { Dependencies } from "./dependencies.ts";
import { assertAdministrable, assertReadable, findClassifier, findProject } from "./lookup.ts";
import { classifierDetailMessage, classifierMessage } from "./messages.ts";
import type { NamedProject } from "./messages.ts";
import { makeRoutes } from "./new-routes.ts";
import { exclusionReasons } from "./reasons.ts";
import { candidateTarget, resolveTargets } from "./targets.ts";

type Rpcs = Pick<
  ServiceImpl<typeof ClassifierService>,
  "createClassifier" | "listClassifiers" | "getClassifier" | "makeGlobal"
>;

/** The RPCs about classifiers themselves. */
export function createClassifierRpcs(dependencies: Dependencies): Rpcs {
  const { classifiers, targets, pageTokens, now } = dependencies;

  /** The project of a project classifier by id and name, for its messages. */
  async function ownProject(projectIds: readonly string[], context: HandlerContext) {
    if (projectIds.length === 0) return new Map<string, NamedProject>();
    const { projects } = await dependencies.projects.resolveProjects(
      { projectIds: [...projectIds] },
      callOptions(context),
    );
    return new Map(projects.map(({ id, name }) => [id, { id, name }]));
  }

  async function messageOf(classifier: ClassifierDocument, context: HandlerContext) {
    const [resolved, own] = await Promise.all([
      resolveTargets(targets, classifier.routes, callOptions(context)),
      ownProject(classifier.projectId === null ? [] : [classifier.projectId], context),
    ]);
    return classifierMessage(classifier, resolved, own.get(classifier.projectId ?? ""));
  }

  return {
    async createClassifier(request, context) {
      const faults = faultsOfClassifier(request);
      if (faults.length > 0) throw invalid(faults);
      const project = await findProject(dependencies, request.projectId, context);
      const prefixes = request.routes.map((_, index) => `routes[${index}].`);
      const routes = await makeRoutes(
        dependencies,
        request.routes,
        prefixes,
        { projectId: request.projectId },
        context,
      );
      const duplicate = duplicateTarget(routes);
      if (duplicate !== undefined) {
        throw conflict("ROUTE_EXISTS", `routes[${duplicate}] has the same target as an earlier one.`);
      }
      if (routes.length > maximumRoutes) throw tooManyRoutes("routes");
      const { organizationId, userId } = callerOf(context);
      const classifier = newClassifier(request, routes, organizationId, userId, now());
      const examples = new Map(routes.map(({ id }, index) => [id, request.routes[index]?.examples ?? []]));
      const resolved = await resolveTargets(targets, routes, callOptions(context));
      const answer = (stored: ClassifierDocument) => classifierMessage(stored, resolved, project);
      const inserted = await classifiers.insert(classifier, examples, answer);
      if (inserted.outcome === "gone") throw notFound("project", request.projectId, "projectId");
      return answer(doneOrThrow(inserted, classifier._id));
    },

    async listClassifiers(request, context) {
      const { projectId, limit, pageToken } = request;
      if (projectId === "") throw invalid([{ field: "projectId", message: "is required" }]);
      const paged = limit !== undefined || pageToken !== "";
      const size = paged ? limitOf(limit) : undefined;
      const query = { organizationId: callerOf(context).organizationId, projectId };
      const [before] = pageToken === "" ? [] : pageTokens.decode(query, pageToken);
      const project = await findProject(dependencies, projectId, context);
      const found = await classifiers.list({
        ...query,
        ...(size === undefined ? {} : { limit: size + 1 }),
        ...(before === undefined ? {} : { before }),
      });
      const page = size === undefined ? found : found.slice(0, size);
      const last = page.at(-1);
      const resolved = await resolveTargets(
        targets,
        page.flatMap(({ routes }) => routes),
        callOptions(context),
      );
      return {
        classifiers: page.map((classifier) => classifierMessage(classifier, resolved, project)),
        ...(found.length > page.length && last !== undefined
          ? { nextPageToken: pageTokens.encode(query, [last._id]) }
          : {}),
      };
    },

    async getClassifier({ classifierId }, context) {
      const classifier = await findClassifier(dependencies, classifierId, context);
      assertReadable(classifier, context);
      const [resolved, own] = await Promise.all([
        resolveTargets(targets, classifier.routes, callOptions(context)),
        ownProject(classifier.projectId === null ? [] : [classifier.projectId], context),
      ]);
      const candidates = candidatesOf(classifier.routes.map((route) => candidateTarget(route, resolved)));
      const excluded = candidates.flatMap(({ routeId, excluded: reason }) =>
        reason === null ? [] : [{ routeId, reason: exclusionReasons[reason] }],
      );
      return classifierDetailMessage(classifier, resolved, own.get(classifier.projectId ?? ""), excluded);
    },

    async makeGlobal({ classifierId }, context) {
      // Out of reach, a project classifier is nobody's to make global: it would then be theirs to read.
      const present = await findClassifier(dependencies, classifierId, context);
      assertAdministrable(present, context);
      const resolved = await resolveTargets(targets, present.routes, callOptions(context));
      const answer = (changed: ClassifierDocument) => classifierMessage(changed, resolved, undefined);
      // Answered with the targets of the routes there are then: one may have been added meanwhile.
      return messageOf(doneOrThrow(await classifiers.makeGlobal(classifierId, now(), answer), classifierId), context);
    },
  };
}

/** The problem of a classifier that would have too many routes. */
export function tooManyRoutes(field: string) {
  const message = `A classifier has at most ${maximumRoutes} routes.`;
  return problem(Code.InvalidArgument, "TOO_MANY_ROUTES", message, { violations: [{ field, message }] });
}

function doneOrThrow(change: NamedChange, classifierId: string): ClassifierDocument {
  switch (change.outcome) {
    case "done":
      return change.classifier;
    case "name-taken":
      throw conflict("CLASSIFIER_NAME_TAKEN", "Another classifier has this name.");
    case "gone":
      throw notFound("classifier", classifierId, "classifierId");
  }
}

function duplicateTarget(routes: readonly RouteDocument[]): number | undefined {
  const index = routes.findIndex(({ targetKey }, at) =>
    routes.slice(0, at).some((other) => other.targetKey === targetKey),
  );
  return index === -1 ? undefined : index;
}

function settingsOf(settings: ClassifierSettings | undefined): SettingsDocument {
  return {
    engine: "local",
    minConfidence: settings?.minConfidence ?? null,
    minMargin: settings?.minMargin ?? null,
    pages: settings?.pages ?? null,
  };
}

function newClassifier(
  request: CreateClassifierRequest,
  routes: RouteDocument[],
  organizationId: string,
  createdBy: string,
  at: Date,
): ClassifierDocument {
  return {
    _id: newId("clf"),
    organizationId,
    projectId: request.projectId,
    name: request.name.trim(),
    description: request.description,
    settings: settingsOf(request.settings),
    routes,
    routeCount: routes.length,
    routeProjectIds: [...new Set(routes.map(({ projectId }) => projectId))],
    classificationCount: 0,
    createdAt: at,
    updatedAt: at,
    createdBy,
  };
}
