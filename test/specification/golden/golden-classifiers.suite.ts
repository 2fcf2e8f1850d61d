import { getBody } from "../testing/office.ts";
import { givenTwoProjects } from "../testing/two-projects.ts";
import type { Where } from "../testing/office.ts";
import { expectRecorded, recordExchange } from "./recording.ts";
import type { RecordedRequest } from "./recording.ts";

const counts = [0, 1, 20] as const;

/** Sections 2.1 to 2.3 and 4.1 to 4.4: the exact bytes of responses about classifiers, routes and classifications. */
export function goldenClassifierSuite(where: Where): void {
  const given = givenTwoProjects(where);
  const classifiers = "/api/v1/classify";
  /** The models of the routes of a classifier with many routes. */
  let models: string[];
  /** An organization token with access to the office's project only, and a token of that project. */
  let near: string;
  let bound: string;

  async function expectExchange(name: string, asked: RecordedRequest, token = given.system.token): Promise<void> {
    await expectRecorded(name, await recordExchange(given.system.url, token, asked));
  }
  const newProject = async (name: string): Promise<string> =>
    (await getBody(given.rest.post("/api/v1/projects", { name }), 201)).id;
  const toRoutes = (count: number) => models.slice(0, count).map((deploymentId) => ({ deploymentId }));
  /** Creates a classifier with this name, makes it global if requested, and then adds routes to it. */
  async function createClassifier(name: string, routes: readonly object[], scope?: "global") {
    const { id } = await getBody(given.rest.post(classifiers, { projectId: given.office.projectId, name }), 201);
    const path = `${classifiers}/${id}`;
    if (scope === "global") await getBody(given.rest.post(`${path}:makeGlobal`), 200);
    const added = [];
    for (const route of routes) added.push(await getBody(given.rest.post(`${path}/routes`, route), 201));
    return { path, routes: added };
  }

  beforeAll(async () => {
    const path = `/api/v1/projects/${given.office.projectId}/deployments`;
    models = [];
    for (let place = 1; place <= 20; place += 1) {
      const model = { name: `Form ${place}`, tables: [{ slug: "form", isPrimary: true }], columns: [] };
      models.push((await getBody(given.rest.post(path, model), 201)).id);
    }
    const { projectId } = given.office;
    const { id } = await getBody(given.rest.post("/api/v1/teams", { name: "Near", projectIds: [projectId] }), 201);
    const token = async (scope: object): Promise<string> =>
      (await getBody(given.rest.post("/api/v1/tokens", { name: "Less", ...scope }), 201)).secret;
    const permissions = ["models:read", "models:edit"];
    near = await token({
      ...{ scope: "ORGANIZATION", teamIds: [id] },
      permissions: [...permissions, "organization:models:edit"],
    });
    bound = await token({ scope: "PROJECT", projectId, permissions });
  });

  it.each(counts)("creates a classifier with %i routes", async (count) => {
    const body = { projectId: given.office.projectId, name: `New with ${count}`, routes: toRoutes(count) };
    await expectExchange(`create-classifier.${count}`, { method: "POST", path: classifiers, body });
  });

  it.each([
    ["without-project", () => ({ name: "New" })],
    ["with-scope", () => ({ projectId: given.office.projectId, name: "New", isGlobal: true })],
    ["name-taken", () => ({ projectId: given.office.projectId, name: "accounts payable INBOX" })],
    ["unknown-project", () => ({ projectId: "prj_none", name: "New" })],
  ])("refuses to create a classifier: %s", async (name, body) => {
    await expectExchange(`create-classifier.${name}`, { method: "POST", path: classifiers, body: body() });
  });

  it.each(counts)("lists %i classifiers", async (count) => {
    const projectId = await newProject(`With ${count} classifiers`);
    for (let place = 1; place <= count; place += 1) {
      await getBody(given.rest.post(classifiers, { projectId, name: `Listed ${count} ${place}` }), 201);
    }
    await expectExchange(`list-classifiers.${count}`, { path: `${classifiers}?projectId=${projectId}` });
  });

  it("lists a page of classifiers", async () => {
    const projectId = await newProject("With pages");
    for (const name of ["First page", "Second page"]) {
      await getBody(given.rest.post(classifiers, { projectId, name }), 201);
    }
    await expectExchange("list-classifiers.page", { path: `${classifiers}?projectId=${projectId}&limit=1` });
  });

  it("lists a global classifier in a project that it routes into", async () => {
    const { projectId, deployment, model } = given.other;
    const { invoices } = given.office;
    const targets = [{ deploymentId: model }, { deploymentId: model, targetDeploymentId: deployment }];
    await createClassifier("Global", [...targets, { deploymentId: invoices }], "global");
    await expectExchange("list-classifiers.global", { path: `${classifiers}?projectId=${projectId}` });
  });

  it("refuses to list classifiers without a project", async () => {
    await expectExchange("list-classifiers.without-project", { path: classifiers });
  });

  it.each(counts)("returns a classifier with %i routes, and its routes", async (count) => {
    const { path, routes } = await createClassifier(`Read with ${count}`, toRoutes(count));
    await expectExchange(`get-classifier.${count}`, { path });
    await expectExchange(`list-routes.${count}`, { path: `${path}/routes` });
    if (count === 1) await expectExchange("get-route", { path: `${path}/routes/${routes[0].id}` });
  });

  it.each(counts)("adds a route with %i examples", async (count) => {
    const { path } = await createClassifier(`For ${count} examples`, []);
    const examples = Array.from({ length: count }, (_, place) => `Example ${place}`);
    const body = { deploymentId: given.office.receipts, name: "Receipts", description: "From tills", examples };
    await expectExchange(`add-route.${count}`, { method: "POST", path: `${path}/routes`, body });
  });

  it("adds a route to a deployment", async () => {
    const { path } = await createClassifier("For a deployment", []);
    const { invoices: deploymentId, deployment: targetDeploymentId } = given.office;
    const body = { deploymentId, targetDeploymentId };
    await expectExchange("add-route.deployment", { method: "POST", path: `${path}/routes`, body });
  });

  it.each([
    ["model-of-another-project", () => ({ deploymentId: given.other.model })],
    [
      "deployment-of-another-model",
      () => ({ deploymentId: given.office.receipts, targetDeploymentId: given.office.deployment }),
    ],
    ["model-without-schema", () => ({ deploymentId: given.bare })],
    ["without-model", () => ({ name: "Receipts" })],
    ["deployment-as-model", () => ({ deploymentId: given.office.deployment })],
    ["same-target", () => ({ deploymentId: models[0], targetDeploymentId: null })],
  ])("refuses to add a route to a project classifier: %s", async (name, body) => {
    const { path } = await createClassifier(`For ${name}`, toRoutes(1));
    await expectExchange(`add-route.${name}`, { method: "POST", path: `${path}/routes`, body: body() });
  });

  it("refuses to add a route to a global classifier into a project out of reach, or with a project token", async () => {
    const { path } = await createClassifier("Global by others", toRoutes(1), "global");
    const asked = { method: "POST", path: `${path}/routes`, body: { deploymentId: given.other.model } };
    await expectExchange("add-route.project-out-of-reach", asked, near);
    await expectExchange("add-route.global-by-project-token", asked, bound);
  });

  it("changes the scope of a classifier", async () => {
    const { path } = await createClassifier("Changes its scope", toRoutes(1));
    await expectExchange("make-global", { method: "POST", path: `${path}:makeGlobal` });
    await expectExchange("make-project-scoped", { method: "POST", path: `${path}:makeProjectScoped` });
  });

  it.each([
    ["without-routes", () => []],
    ["across-projects", () => [{ deploymentId: models[0] }, { deploymentId: given.other.model }]],
  ])("refuses to make a classifier project-scoped: %s", async (name, routes) => {
    const { path } = await createClassifier(`Global ${name}`, routes(), "global");
    await expectExchange(`make-project-scoped.${name}`, { method: "POST", path: `${path}:makeProjectScoped` });
  });

  it("returns and lists classifications", async () => {
    const bare = await createClassifier("Classifies", []);
    const records = (path: string) => `${path}/classifications`;
    await expectExchange("list-classifications.0", { path: records(bare.path) });
    const text = { text: "INVOICE\nInvoice number: 4711\nTotal amount: 12.50\n", extract: false };
    await expectExchange("classify.no-routes", { method: "POST", path: records(bare.path), body: text });
    await expectExchange("list-classifications.1", { path: records(bare.path) });
    for (let place = 2; place <= 20; place += 1) {
      await getBody(given.rest.post(records(bare.path), { text: " ", externalId: `Item ${place}` }), 201);
    }
    await expectExchange("list-classifications.20", { path: records(bare.path) });
    await expectExchange("get-classifier.with-20-classifications", { path: bare.path });
    const path = records(`${classifiers}/${given.office.classifier}`);
    await expectExchange("classify.classified", { method: "POST", path, body: text });
    const ofProject = { path: `/api/v1/projects/${given.office.projectId}/classifications?status=CLASSIFIED` };
    await expectExchange("list-project-classifications.1", ofProject);
    await expectExchange("classify.without-document", { method: "POST", path, body: { extract: false } });
  });

  it("refuses a classifier that does not exist, a missing or wrong token, and an unknown path or method", async () => {
    const path = `${classifiers}/clf_none`;
    await expectExchange("get-classifier.unknown", { path });
    await expectRecorded("without-token", await recordExchange(given.system.url, undefined, { path }));
    await expectExchange("invalid-token", { path }, "swy_none");
    await expectExchange("unknown-path", { path: "/api/v1/none" });
    await expectExchange("other-method", { method: "PUT", path, body: {} });
    await expectExchange("malformed-json", { method: "POST", path: classifiers, body: '{"projectId": ' });
  });
}
