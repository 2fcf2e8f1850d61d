import { createMatrixCallers } from "./access-callers.ts";
import type { MatrixCaller } from "./access-callers.ts";
import { projects } from "./access-table.ts";
import type { ClassifierFacts, ProjectKey } from "./access-table.ts";
import { createSampleWorld, invoiceText } from "../../testing/sample-world.ts";
import type { SampleWorld } from "../../testing/sample-world.ts";
import { getBody } from "../../testing/office.ts";
import type { TestSystem } from "../../../system.ts";

/** Every kind of classifier that the rules distinguish. */
export const kinds = {
  "of the project owner": { organization: "own", home: "owner", routes: ["owner"] },
  "of the project other": { organization: "own", home: "other", routes: ["other"] },
  "global into route": { organization: "own", home: null, routes: ["route"] },
  // Access depends on the targets of routes, not on their state: the model is paused.
  "global into route, paused": { organization: "own", home: null, routes: ["route"] },
  "global into route and target": { organization: "own", home: null, routes: ["route", "target"] },
  "global into other": { organization: "own", home: null, routes: ["other"] },
  "global without route": { organization: "own", home: null, routes: [] },
  "of another organization": { organization: "another", home: "owner", routes: ["owner"] },
} as const satisfies Record<string, ClassifierFacts>;
export type Kind = keyof typeof kinds;

/** A classifier of the matrix with a route and a record. IDs of missing ones do not exist. */
export interface MatrixClassifier {
  readonly id: string;
  readonly routeId: string;
  /** A deployment of the model that this route targets. */
  readonly newTarget: string;
  readonly classificationId: string;
  /** The project of the record. */
  readonly landed: ProjectKey | null;
}

/** The resources of the matrix: two projects with one of everything, two more, another organization, and all callers. */
export interface MatrixFixture {
  readonly admin: SampleWorld;
  /** By project; null is another organization. */
  readonly worlds: readonly { readonly project: ProjectKey | null; readonly world: SampleWorld }[];
  readonly projectIds: Readonly<Record<ProjectKey, string>>;
  /** A model that no route targets. */
  readonly spare: Readonly<Record<ProjectKey, string>>;
  readonly classifiers: Readonly<Record<Kind, MatrixClassifier>>;
  readonly callers: readonly MatrixCaller[];
  /** Creates a classifier of this kind for one cell to change. */
  throwaway(kind: Kind): Promise<MatrixClassifier>;
}

/** Prepares an organization for the matrix over REST. */
export async function createMatrixFixture(system: TestSystem): Promise<MatrixFixture> {
  const { url, token } = system;
  const admin = await createSampleWorld(url, token, "Owner");
  const other = await createSampleWorld(url, token, "Other");
  const outsider = await createSampleWorld(url, await system.anotherOrganization("Elsewhere"), "Outsider");
  const { create } = admin;
  const empty = async (name: string): Promise<string> => (await create("/api/v1/projects", { name })).id;
  const projectIds = {
    owner: admin.projectId,
    route: await empty("Route"),
    target: await empty("Target"),
    other: other.projectId,
  };
  const tables = [{ slug: "invoice", isPrimary: true }];
  const columns = ["invoice_number", "invoice_date", "total_amount"].map((slug) => ({ slug }));
  const newModel = async (project: ProjectKey, name: string): Promise<string> =>
    (await create(`/api/v1/projects/${projectIds[project]}/deployments`, { name, tables, columns })).id;
  /** Creates a model with a deployment. */
  async function newPair(project: ProjectKey, name: string): Promise<{ model: string; deployment: string }> {
    const model = await newModel(project, name);
    const { id } = await create(`/api/v1/deployments/${model}/deployments`, { name: "Stable" });
    return { model, deployment: id };
  }
  const routed = {} as Record<ProjectKey, { model: string; deployment: string }>;
  const spare = {} as Record<ProjectKey, string>;
  for (const project of projects) {
    routed[project] = await newPair(project, "Routed");
    spare[project] = await newModel(project, "Spare");
  }
  const paused = { ...routed, route: await newPair("route", "Paused") };

  /** Creates a classifier of a kind, with a record if requested, which is created while the classifier can be used. */
  async function makeClassifier(kind: Kind, withRecord: boolean): Promise<MatrixClassifier> {
    const { home, routes }: ClassifierFacts = kinds[kind];
    const [first, ...more] = routes;
    const models = kind === "global into route, paused" ? paused : routed;
    const project = home ?? first ?? "owner";
    const description = "Supplier invoice with an amount due";
    const { id } = await create("/api/v1/classify", {
      projectId: projectIds[project],
      name: `${kind} ${admin.newName()}`,
      routes: first === undefined ? [] : [{ deploymentId: models[first].model, description }],
    });
    const path = `/api/v1/classify/${id}`;
    const record = withRecord
      ? await create(path, { text: invoiceText, extract: false, externalId: "first" })
      : { id: "cls_none", projectId: null };
    if (home === null) {
      await getBody(admin.rest.post(`${path}:makeGlobal`), 200);
      for (const next of more) await create(`${path}/routes`, { deploymentId: models[next].model, description });
    }
    const { data } = await getBody(admin.rest.get(`${path}/routes`), 200);
    const landed = projects.find((key) => projectIds[key] === record.projectId) ?? null;
    const newTarget = first === undefined ? "dep_none" : models[first].deployment;
    return { id, routeId: data[0]?.id ?? "rte_none", newTarget, classificationId: record.id, landed };
  }

  const classifiers = {} as Record<Kind, MatrixClassifier>;
  for (const kind of Object.keys(kinds) as Kind[]) {
    classifiers[kind] =
      kinds[kind].organization === "own"
        ? await makeClassifier(kind, true)
        : {
            id: outsider.classifier,
            routeId: outsider.route,
            newTarget: outsider.deployment,
            classificationId: outsider.classification,
            landed: null,
          };
  }
  await getBody(admin.rest.post(`/api/v1/deployments/${paused.route.model}:pause`), 200);
  return {
    admin,
    worlds: [
      { project: "owner", world: admin },
      { project: "other", world: other },
      { project: null, world: outsider },
    ],
    projectIds,
    spare,
    classifiers,
    callers: await createMatrixCallers(url, admin.rest, projectIds),
    throwaway: (kind) => makeClassifier(kind, false),
  };
}
