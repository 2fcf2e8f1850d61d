import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { getProblemFacts } from "@switchyard/rpc";
import type { SystemShape } from "../../system.ts";
import { startWatchedServices } from "../testing/watched-services.ts";
import type { WatchedServices } from "../testing/watched-services.ts";

/**
 * The state that a request was checked against may change before the request writes. Races rarely hit that moment, so here each request
 * is paused between its checks and its write until the other change is made.
 */
export function meanwhileSuite(shape: SystemShape): void {
  let system: WatchedServices;
  /** The change that is made after the next lookup of targets, before its request continues. */
  let meanwhile: (() => Promise<unknown>) | undefined;
  let near: string;
  /** A deployment of the near model. */
  let deploymentId: string;
  let far: string;
  let projectId: string;
  let plain: Caller;

  beforeAll(async () => {
    system = await startWatchedServices(shape, (next) => async (request) => {
      const response = await next(request);
      const happening = request.method.name === "ResolveTargets" ? meanwhile : undefined;
      if (happening !== undefined) {
        meanwhile = undefined;
        await happening();
      }
      return response;
    });
    const content = { tables: [{ slug: "t", isPrimary: true }], columns: [{ slug: "a" }] };
    const project = async (name: string) => (await system.identity.createProject({ name }, await system.as())).id;
    const model = async (of: string) =>
      (await system.models.createModel({ projectId: of, name: "Model", ...content }, await system.as())).id;
    projectId = await project("Near");
    near = await model(projectId);
    deploymentId = (await system.models.createDeployment({ targetId: near, name: "Other" }, await system.as())).id;
    far = await model(await project("Far"));
    const caller = await system.caller();
    const permissions = caller.permissions.filter((each) => each !== Permission.ORGANIZATION_MODELS_EDIT);
    plain = { ...caller, permissions };
  });
  afterAll(() => system?.close());

  let names = 0;
  async function classifier(scope: "project" | "global"): Promise<{ classifierId: string; routeId: string }> {
    names += 1;
    const request = { projectId, name: `Classifier ${names}`, routes: [{ modelId: near }] };
    const { id, routes } = await system.classifiers.createClassifier(request, await system.as());
    if (scope === "global") await system.classifiers.makeGlobal({ classifierId: id }, await system.as());
    return { classifierId: id, routeId: routes[0]?.id ?? "" };
  }
  const detail = async (classifierId: string) => system.classifiers.getClassifier({ classifierId }, await system.as());
  /** Returns the reason of the error, or "done" if there is none. Throws if the change was not made meanwhile. */
  async function outcome(request: Promise<unknown>): Promise<string> {
    const result = await request.then(
      () => "done",
      (error: unknown) => getProblemFacts(error).reason,
    );
    expect(meanwhile).toBeUndefined();
    return result;
  }

  it("a classifier that became project-scoped accepts no route of another project, even if it was checked before", async () => {
    const { classifierId } = await classifier("global");
    const options = await system.as();
    meanwhile = () => system.classifiers.makeProjectScoped({ classifierId }, options);
    expect(await outcome(system.classifiers.addRoute({ classifierId, modelId: far }, options))).toBe(
      "MODEL_OF_ANOTHER_PROJECT",
    );
    expect(await detail(classifierId)).toMatchObject({ projectId, routes: [{ modelId: near }] });
  });

  it("a classifier that got a route of another project does not become project-scoped", async () => {
    const { classifierId } = await classifier("global");
    const options = await system.as();
    meanwhile = () => system.classifiers.addRoute({ classifierId, modelId: far }, options);
    expect(await outcome(system.classifiers.makeProjectScoped({ classifierId }, options))).toBe("ROUTES_SPAN_PROJECTS");
    expect(await detail(classifierId)).toMatchObject({ isGlobal: true, routes: [{}, { modelId: far }] });
  });

  it("a classifier that lost its last route does not become project-scoped", async () => {
    const { classifierId, routeId } = await classifier("global");
    const options = await system.as();
    meanwhile = () => system.classifiers.deleteRoute({ classifierId, routeId }, options);
    expect(await outcome(system.classifiers.makeProjectScoped({ classifierId }, options))).toBe(
      "CLASSIFIER_HAS_NO_ROUTES",
    );
  });

  it("a caller who may only change project classifiers does not change one that became global", async () => {
    const changes: ((ids: { classifierId: string; routeId: string }) => Promise<unknown>)[] = [
      async (ids) =>
        system.classifiers.addRoute(
          { ...ids, modelId: near, targetDeploymentId: deploymentId },
          await system.as(plain),
        ),
      async (ids) => system.classifiers.updateRoute({ ...ids, name: "x" }, await system.as(plain)),
      async (ids) => system.classifiers.updateClassifier({ ...ids, name: "x" }, await system.as(plain)),
    ];
    for (const change of changes) {
      const ids = await classifier("project");
      const options = await system.as();
      meanwhile = () => system.classifiers.makeGlobal({ classifierId: ids.classifierId }, options);
      expect(await outcome(change(ids))).toBe("MISSING_PERMISSION");
      const { name, routes, isGlobal } = await detail(ids.classifierId);
      expect([isGlobal, name === "x", routes.map((route) => route.name)]).toEqual([true, false, ["Model"]]);
    }
  });

  it("a removed route is not changed, and no two routes get the same target", async () => {
    const { classifierId, routeId } = await classifier("project");
    const options = await system.as();
    meanwhile = () => system.classifiers.addRoute({ classifierId, modelId: near }, options).catch(() => undefined);
    expect(await outcome(system.classifiers.updateRoute({ classifierId, routeId, name: "x" }, options))).toBe("done");
    meanwhile = () => system.classifiers.deleteRoute({ classifierId, routeId }, options);
    expect(await outcome(system.classifiers.updateRoute({ classifierId, routeId, name: "y" }, options))).toBe(
      "ROUTE_NOT_FOUND",
    );
    meanwhile = () => system.classifiers.addRoute({ classifierId, modelId: near }, options);
    expect(await outcome(system.classifiers.addRoute({ classifierId, modelId: near }, options))).toBe("ROUTE_EXISTS");
    expect((await detail(classifierId)).routes).toHaveLength(1);
  });

  it("the changes of another request are kept", async () => {
    const { classifierId, routeId } = await classifier("project");
    const options = await system.as();
    meanwhile = () => system.classifiers.updateRoute({ classifierId, routeId, description: "kept" }, options);
    await system.classifiers.updateRoute({ classifierId, routeId, name: "new" }, options);
    meanwhile = () => system.classifiers.addRoute({ classifierId, modelId: near }, options).catch(() => undefined);
    await system.classifiers.updateClassifier({ classifierId, description: "post" }, options);
    expect(await detail(classifierId)).toMatchObject({
      description: "post",
      routes: [{ name: "new", description: "kept" }],
    });
  });

  it("a deleted classifier accepts no route", async () => {
    const { classifierId } = await classifier("project");
    const options = await system.as();
    meanwhile = () => system.classifiers.deleteClassifier({ classifierId }, options);
    const route = { classifierId, modelId: near, deploymentId };
    expect(await outcome(system.classifiers.addRoute(route, options))).toBe("CLASSIFIER_NOT_FOUND");
  });
}
