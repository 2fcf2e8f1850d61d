import type { RestResponse } from "../../../rest.ts";
import type { MatrixCaller } from "./access-callers.ts";
import { kinds } from "./access-fixture.ts";
import type { Kind, MatrixClassifier, MatrixFixture } from "./access-fixture.ts";
import {
  getExpectedClassifierStatus,
  classifierRules,
  getExpectedPlaceStatus,
  findPlaceRule,
  projects,
  getExpectedRecordStatus,
} from "./access-table.ts";
import type { ClassifierFacts, ProjectKey } from "./access-table.ts";
import { getName, rpcs, send } from "../../testing/rpcs.ts";
import type { SampleRequest } from "../../testing/rpcs.ts";
import { invoiceText } from "../../testing/sample-world.ts";
import { getSamples } from "../../testing/samples.ts";

/** A request of the matrix: its values by dimension, and how it is sent. */
export interface Cell {
  readonly about: Readonly<Record<string, string>>;
  /** Sends the request, and returns the expected and the actual outcome. */
  ask(): Promise<{ expected: unknown; given: unknown }>;
}

/** The methods of the classifier service that are in the table and in the contracts. */
const methods = new Map(rpcs.map((route) => [getName(route).replace("ClassifierService.", ""), route]));

const targets = [...projects, "another organization"] as const;
/** Methods that change a classifier so that the next cell needs another one. */
const consuming = new Set([
  ...["DeleteClassifier", "MakeGlobal", "MakeProjectScoped"],
  ...["AddRoute", "UpdateRoute, new target", "DeleteRoute"],
]);
const onRoutes = new Set(["GetRoute", "UpdateRoute", "DeleteRoute"]);

/** Returns scope, grants and rights of a caller as values of dimensions. */
function aboutCaller({ scope, grants, rights }: MatrixCaller): Record<string, string> {
  return { caller: `${scope} with ${grants}`, rights };
}

/** Returns the cells of every caller, kind of classifier, method and, if a route is added, target. */
export function classifierCells(fixture: MatrixFixture): Cell[] {
  const { callers, classifiers, spare, worlds } = fixture;
  const foreignModel = worlds.find(({ project }) => project === null)?.world.receipts ?? "";
  const getModel = (target: ProjectKey | "another organization"): string =>
    target === "another organization" ? foreignModel : spare[target];

  function cell(caller: MatrixCaller, kind: Kind, action: string, target?: (typeof targets)[number]): Cell {
    const [method = "", retargets = false] = action.split(", ");
    const route = methods.get(method);
    if (route === undefined) throw new Error(`the contracts have no ${method}`);
    const facts: ClassifierFacts = kinds[kind];
    const routeless = onRoutes.has(method) && facts.routes.length === 0;
    const reached = retargets === false ? target : facts.routes[0];
    const expected = getExpectedClassifierStatus(caller, method, facts, routeless ? 404 : route.successStatus, reached);
    return {
      about: { ...aboutCaller(caller), kind, action, ...(target === undefined ? {} : { target }) },
      async ask() {
        const used = consuming.has(action) && expected < 300;
        const classifier = used ? await fixture.throwaway(kind) : classifiers[kind];
        const path = { classifierId: classifier.id, ...(onRoutes.has(method) ? { routeId: classifier.routeId } : {}) };
        const body = {
          ...bodies[action],
          ...(target === undefined ? {} : { deploymentId: getModel(target) }),
          ...(retargets === false ? {} : { targetDeploymentId: classifier.newTarget }),
        };
        const query: Record<string, string> = method === "ListClassifications" ? { externalId: "first" } : {};
        const response = await send(caller.rest, route, { path, body, query });
        const [more, given] = await followUp(caller, facts, classifier, method, response);
        return { expected: [expected, ...more], given: [response.status, ...given] };
      },
    };
  }

  /** Returns further expected and actual outcomes: access to a new record, and the records in a list. */
  async function followUp(
    caller: MatrixCaller,
    { organization }: ClassifierFacts,
    { id, landed, classificationId }: MatrixClassifier,
    method: string,
    { status, body }: RestResponse,
  ): Promise<[unknown[], unknown[]]> {
    if (method === "Classify" && status === 201) {
      const own = await caller.rest.get(`/api/v1/classify/${id}/classifications/${body.id}`);
      return [[getExpectedRecordStatus(caller, { organization, landed: null, isOwn: true })], [own.status]];
    }
    if (method === "ListClassifications" && status === 200) {
      const visible = getExpectedRecordStatus(caller, { organization, landed, isOwn: false }) === 200;
      return [[visible], [body.data.some((record: any) => record.id === classificationId)]];
    }
    return [[], []];
  }

  function recordCell(caller: MatrixCaller, kind: Kind): Cell {
    const { id, classificationId, landed } = classifiers[kind];
    const { organization } = kinds[kind];
    return {
      about: { ...aboutCaller(caller), kind, action: "GetClassification" },
      async ask() {
        const { status } = await caller.rest.get(`/api/v1/classify/${id}/classifications/${classificationId}`);
        return { expected: getExpectedRecordStatus(caller, { organization, landed, isOwn: false }), given: status };
      },
    };
  }

  return callers.flatMap((caller) =>
    (Object.keys(kinds) as Kind[]).flatMap((kind) => [
      recordCell(caller, kind),
      ...Object.keys(classifierRules)
        .filter((method) => methods.has(method))
        .flatMap((method) =>
          method === "AddRoute"
            ? targets.map((target) => cell(caller, kind, method, target))
            : [method, ...(method === "UpdateRoute" ? ["UpdateRoute, new target"] : [])].map((action) =>
                cell(caller, kind, action),
              ),
        ),
    ]),
  );
}

const bodies: Readonly<Record<string, object>> = {
  UpdateClassifier: { description: "Changed by a cell" },
  UpdateRoute: { description: "Changed by a cell" },
  Classify: { text: invoiceText, extract: false },
  BatchClassify: { items: [{ text: invoiceText, extract: false }] },
};

/** Returns the cells about the classifiers in the list of every caller and project. They must run before cells that change any. */
export function listCells({ callers, classifiers, projectIds, worlds }: MatrixFixture): Cell[] {
  const known = [
    ...(Object.keys(kinds) as Kind[]).map((kind) => ({
      id: classifiers[kind].id,
      ...(kinds[kind] as ClassifierFacts),
    })),
    ...worlds.flatMap(({ project, world }) =>
      project === null ? [] : [{ id: world.classifier, organization: "own", home: project, routes: [project] }],
    ),
  ];
  const listRule = findPlaceRule("ClassifierService.ListClassifiers", 0);
  if (listRule === undefined) throw new Error("no line for ListClassifiers");
  return callers.flatMap((caller) =>
    projects.map((project) => ({
      about: { ...aboutCaller(caller), project, action: "ListClassifiers" },
      async ask() {
        const status = getExpectedPlaceStatus(caller, listRule, project, 200);
        const listed = known.filter(
          ({ organization, home, routes }) =>
            organization === "own" && (home === null ? routes.includes(project) : home === project),
        );
        const { status: given, body } = await caller.rest.get(`/api/v1/classify?projectId=${projectIds[project]}`);
        const ids = given === 200 ? body.map(({ id }: { id: string }) => id).sort() : [];
        return { expected: [status, status === 200 ? listed.map(({ id }) => id).sort() : []], given: [given, ids] };
      },
    })),
  );
}

/** Returns the cells of every caller, place and method of other resources, with the sample requests. */
export function placeCells({ callers, worlds }: MatrixFixture): Cell[] {
  return rpcs.flatMap((route) => {
    const name = getName(route);
    if (isAboutClassifiers(name)) return [];
    const success = route.removed === undefined ? route.successStatus : 410;
    return getSamples(route).flatMap((sample, index) => {
      const rule = findPlaceRule(name, index);
      if (rule === undefined)
        throw new Error(`${name} has no line in test/specification/access/testing/access-table.ts`);
      return worlds.slice(0, rule.reach === "nothing" ? 1 : undefined).flatMap(({ project, world }) => {
        // A request that is refused can be repeated.
        let kept: SampleRequest | Promise<SampleRequest> | undefined;
        return callers.map((caller): Cell => {
          const expected = getExpectedPlaceStatus(caller, rule, project, success);
          return {
            about: { ...aboutCaller(caller), place: project ?? "another organization", action: `${name} ${index}` },
            async ask() {
              const isRead = route.httpMethod === "GET";
              const request = expected < 300 && !isRead ? await sample(world) : await (kept ??= sample(world));
              return { expected, given: (await send(caller.rest, route, request)).status };
            },
          };
        });
      });
    });
  });
}

/** Returns whether the cells about classifiers call this RPC. */
function isAboutClassifiers(name: string): boolean {
  const method = name.replace("ClassifierService.", "");
  return name !== method && (classifierRules[method] !== undefined || method === "GetClassification");
}
