import type { Rest } from "../../rest.ts";
import { createRest } from "../../rest.ts";
import { getBody, refusal } from "../testing/office.ts";
import { classifierWith, givenTwoProjects } from "../testing/two-projects.ts";
import type { Where } from "../testing/office.ts";

/** The parts of a request that a check can make invalid. Each check breaks one thing, as far as possible without breaking others. */
interface Request {
  by: Rest;
  path: string;
  /** The body; a string if it is not valid JSON. */
  body: Record<string, unknown> | string;
}

/** A check: its response, and the change that makes a request fail it in addition to other checks. */
interface Check {
  expected: string;
  break: (request: Request) => Request;
}

const withFields = (request: Request, fields: Record<string, unknown>): Request => ({
  ...request,
  body: typeof request.body === "string" ? request.body : { ...request.body, ...fields },
});

/**
 * Sends a request that fails two successive checks, for every such pair. The response must be that of the earlier check. Two checks that
 * cannot fail together (a model cannot be unknown and of another project) are in different chains.
 */
async function inOrder(method: "POST" | "PATCH", checks: readonly Check[], valid: Request): Promise<void> {
  const send = async ({ by, path, body }: Request): Promise<string> => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await by.send(path, { method, body: text, headers: { "content-type": "application/json" } });
    return `${response.status} ${response.body.code ?? ""}`.trim();
  };
  for (const [index, check] of checks.entries()) {
    expect(await send(check.break(valid))).toBe(check.expected);
    const next = checks[index + 1];
    // The later check is broken first: if both set the same field, the value of the earlier one wins.
    if (next !== undefined)
      expect(`${check.expected}: ${await send(check.break(next.break(valid)))}`).toBe(
        `${check.expected}: ${check.expected}`,
      );
  }
}

/** Section 4.2: which of two faults of a request is reported. */
export function orderOfChecksSuite(where: Where): void {
  const given = givenTwoProjects(where);
  const receipts = () => given.office.receipts;
  const by = (rest: Rest) => (request: Request) => ({ ...request, by: rest });
  const noToken: Check = {
    expected: "401 TOKEN_INVALID",
    break: (request) => ({ ...request, by: createRest(given.system.url, `${given.system.token}x`) }),
  };
  const noJson: Check = { expected: "400 INVALID_REQUEST", break: (request) => ({ ...request, body: "{" }) };
  const noField: Check = {
    expected: "400 INVALID_REQUEST",
    break: (request) => withFields(request, { projectId: "x" }),
  };
  /** These callers also fail the next check: access to the classifier's project, or the kind of token for a global classifier. */
  const noPermission: Check = { expected: "403 MISSING_PERMISSION", break: (request) => by(given.farReader)(request) };
  const noPermissionBound: Check = { ...noPermission, break: (request) => by(given.boundReader)(request) };
  const noClassifier: Check = {
    expected: "404 CLASSIFIER_NOT_FOUND",
    break: (request) => ({ ...request, path: request.path.replace(/clf_[^/]+/, "clf_none") }),
  };
  const outOfReach: Check = { expected: "403 CLASSIFIER_OUT_OF_REACH", break: (request) => by(given.far)(request) };
  const projectToken: Check = { expected: "403 GLOBAL_CLASSIFIER", break: (request) => by(given.bound)(request) };
  const noRight: Check = { expected: "403 MISSING_PERMISSION", break: (request) => by(given.plain)(request) };
  const outOfBounds: Check = {
    expected: "400 INVALID_REQUEST",
    break: (request) => withFields(request, { minConfidence: 2 }),
  };
  /** Uses a caller who may administer the classifier without access to the target's project. */
  const targetOutOfReach = (fields: () => Record<string, unknown>): Check => ({
    expected: "403 PROJECT_OUT_OF_REACH",
    break: (request) => withFields(by(given.near)(request), fields()),
  });
  const unknownDeployment: Check = {
    expected: "404 DEPLOYMENT_NOT_FOUND",
    break: (request) => withFields(request, { targetDeploymentId: "dep_none" }),
  };
  const foreignDeployment: Check = {
    expected: "400 DEPLOYMENT_OF_ANOTHER_MODEL",
    break: (request) => withFields(request, { targetDeploymentId: given.other.deployment }),
  };
  /** A classifier with the maximum number of routes. */
  let full: { path: string; routes: any[] };

  beforeAll(async () => {
    const { rest, office } = given;
    const tables = [{ slug: "t", isPrimary: true }];
    const columns = [{ slug: "a" }];
    const models = `/api/v1/projects/${office.projectId}/deployments`;
    const { id: many } = await getBody(rest.post(models, { name: "Many", tables, columns }), 201);
    const path = `/api/v1/deployments/${many}/deployments`;
    const made = [];
    for (let each = 0; each < 201; each += 1) made.push((await getBody(rest.post(path, { name: `D${each}` }), 201)).id);
    const routes = made.map((targetDeploymentId) => ({ deploymentId: many, targetDeploymentId }));
    const create = (list: object[]) =>
      rest.post("/api/v1/classify", { projectId: office.projectId, name: "Full", routes: list });
    // A duplicate is reported before the number of routes.
    expect(await refusal(create([...routes, routes[0] as object]))).toBe("409 ROUTE_EXISTS");
    expect(await refusal(create(routes))).toBe("400 TOO_MANY_ROUTES routes");
    const { id } = await getBody(create(routes.slice(1)), 201);
    full = { path: `/api/v1/classify/${id}`, routes: routes.slice(1) };
  });

  describe("of POST", () => {
    const chain = async (scope: "project" | "global", checks: readonly Check[]) => {
      const { rest, office } = given;
      const routes = [{ deploymentId: office.invoices }];
      const { path } = await classifierWith(rest, office.projectId, routes, scope);
      await inOrder("POST", checks, { by: rest, path: `${path}/routes`, body: { deploymentId: receipts() } });
    };
    const unknownModel: Check = {
      expected: "404 MODEL_NOT_FOUND",
      break: (request) => withFields(request, { deploymentId: "mdl_none" }),
    };
    const noSchema = (bare: () => string): Check => ({
      expected: "400 MODEL_HAS_NO_SCHEMA",
      break: (request) => withFields(request, { deploymentId: bare() }),
    });

    it("on a project classifier", async () => {
      const foreignModel: Check = {
        expected: "400 MODEL_OF_ANOTHER_PROJECT",
        break: (request) => withFields(request, { deploymentId: given.other.bare }),
      };
      await chain("project", [noToken, noJson, noPermission, noClassifier]);
      await chain("project", [noToken, noField, noPermission, noClassifier]);
      await chain("project", [noPermission, outOfReach, outOfBounds, unknownModel, unknownDeployment]);
      // A model cannot be unknown and of another project, but it can be of another project and without a schema.
      await chain("project", [outOfBounds, foreignModel, unknownDeployment]);
      await chain("project", [foreignModel, noSchema(() => given.bare), unknownDeployment]);
      await chain("project", [noSchema(() => given.bare), foreignDeployment]);
    });

    it("on a global classifier", async () => {
      const far = targetOutOfReach(() => ({ deploymentId: given.other.bare }));
      await chain("global", [noToken, noJson, noPermission, noClassifier]);
      await chain("global", [noPermissionBound, projectToken, outOfBounds, unknownModel, unknownDeployment]);
      await chain("global", [noClassifier, noRight, outOfBounds, unknownModel]);
      // The caller has no access to the model, which has no schema. Missing access is reported first.
      await chain("global", [outOfBounds, far, unknownDeployment]);
      await chain("global", [far, noSchema(() => given.bare), foreignDeployment]);
    });

    it("with the last checks: the target itself, the duplicate, the number of routes", async () => {
      const duplicate: Check = {
        expected: "409 ROUTE_EXISTS",
        break: (request) => withFields(request, full.routes[0]),
      };
      const tooMany: Check = { expected: "400 TOO_MANY_ROUTES", break: (request) => request };
      const valid = { by: given.rest, path: `${full.path}/routes`, body: { deploymentId: receipts() } };
      // On a full classifier every request fails the last check.
      await inOrder("POST", [duplicate, tooMany], valid);
      await inOrder("POST", [unknownDeployment, tooMany], valid);
      await inOrder("POST", [foreignDeployment, tooMany], valid);
    });
  });

  describe("of PATCH", () => {
    const chain = async (scope: "project" | "global", target: () => object, checks: readonly Check[]) => {
      const { rest, office } = given;
      const { path, routes } = await classifierWith(rest, office.projectId, [target()], scope);
      await inOrder("PATCH", checks, { by: rest, path: `${path}/routes/${routes[0].id}`, body: { name: "x" } });
    };
    const unknownRoute: Check = {
      expected: "404 ROUTE_NOT_FOUND",
      break: (request) => ({ ...request, path: request.path.replace(/rte_[^/]+/, "rte_none") }),
    };
    const own = () => ({ deploymentId: receipts() });

    it("on a project classifier", async () => {
      await chain("project", own, [noToken, noJson, noPermission, noClassifier]);
      await chain("project", own, [noPermission, outOfReach, unknownRoute, outOfBounds, unknownDeployment]);
      await chain("project", own, [noClassifier, outOfBounds, foreignDeployment]);
    });

    it("on a global classifier", async () => {
      await chain("global", own, [noPermissionBound, projectToken, unknownRoute, outOfBounds, unknownDeployment]);
      await chain("global", own, [noClassifier, noRight, unknownRoute, outOfBounds, foreignDeployment]);
      const far = targetOutOfReach(() => ({ targetDeploymentId: "dep_none" }));
      await chain("global", () => ({ deploymentId: given.other.model }), [outOfBounds, far, unknownDeployment]);
    });

    it("with the last checks: the target itself, then the duplicate", async () => {
      const { rest, office } = given;
      const pinned = { deploymentId: office.invoices, targetDeploymentId: office.deployment };
      const { path, routes } = await classifierWith(rest, office.projectId, [
        pinned,
        { deploymentId: office.invoices },
      ]);
      const duplicate: Check = {
        expected: "409 ROUTE_EXISTS",
        break: (request) => withFields(request, { targetDeploymentId: null }),
      };
      const valid = { by: rest, path: `${path}/routes/${routes[0].id}`, body: {} };
      await inOrder("PATCH", [noClassifier, duplicate], valid);
      await inOrder("PATCH", [outOfBounds, duplicate], valid);
    });
  });
}
