import { createDeletedProjects } from "@switchyard/change-feed";
import type { DeletedProjects, ProjectContents } from "@switchyard/change-feed";
import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase, testDatabaseName, useDatabase } from "@switchyard/storage/testing";
import { addRoute, at, classifier, createIdleOutbox, makeGlobal, route } from "../testing/documents.ts";
import { classifierModels } from "./classifier-document.ts";
import type { ClassifierDocument, ClassifierModels } from "./classifier-document.ts";
import { createClassifierStore } from "./classifiers.ts";
import type { ClassifierStore } from "./classifiers.ts";
import { createProjectContents } from "./project-contents.ts";

const removedAt = new Date("2026-05-06T07:08:09.010Z");

describe(`the contents of a project in the classifier service on the ${testDatabaseName}`, () => {
  const database = useDatabase(startTestDatabase);
  let storage: Storage;
  let models: ClassifierModels;
  let store: ClassifierStore;
  let deletedProjects: DeletedProjects;
  let contents: ProjectContents;
  beforeEach(async () => {
    storage = await connectStorage({ uri: database.uri, database: newId("test") });
    models = classifierModels(storage.connection);
    deletedProjects = createDeletedProjects(storage.connection);
    store = createClassifierStore(storage, models, deletedProjects, createIdleOutbox(storage));
    contents = createProjectContents(store, models, () => removedAt);
    await storage.ready();
  });
  afterEach(() => storage.close());

  const remove = (projectId: string) => contents.removeProject({ projectId, organizationId: "org_a" });
  const insert = (document: ClassifierDocument) =>
    store.insert(document, new Map(document.routes.map(({ id }) => [id, ["an example"]])));
  async function insertGlobal(name: string, projects: string[]): Promise<ClassifierDocument> {
    const stored = classifier(name, "prj_home");
    await insert(stored);
    await makeGlobal(store, stored._id);
    for (const projectId of projects) {
      await addRoute(store, stored._id, route(newId("mdl"), null, projectId), ["an example"]);
    }
    return stored;
  }

  it("are removed with the project: classifiers, their examples and their names", async () => {
    const [first, second] = [classifier("Inbox", "prj_a", [route("mdl_1")]), classifier("Other", "prj_a")];
    const elsewhere = classifier("Inbox", "prj_b", [route("mdl_2", null, "prj_b")]);
    const foreign = { ...classifier("Inbox", "prj_a", [route("mdl_3")]), organizationId: "org_b" };
    for (const one of [first, second, elsewhere, foreign]) expect((await insert(one)).outcome).toBe("done");
    await remove("prj_a");
    const left = [elsewhere._id, foreign._id];
    expect((await models.classifiers.find().sort({ _id: 1 }).lean()).map(({ _id }) => _id)).toEqual(left);
    expect([...new Set((await models.examples.find().lean()).map((each) => each.classifierId))].sort()).toEqual(left);
    const claims = await models.claims.find({ _id: "org_a/inbox" }).lean();
    expect(claims).toMatchObject([{ projects: [{ projectId: "prj_b", classifierId: elsewhere._id }] }]);
    expect(await models.claims.countDocuments({})).toBe(2);
    const global = classifier("Other", "prj_c");
    await insert(global);
    expect((await makeGlobal(store, global._id)).outcome).toBe("done");
  });

  it("are removed with the project: the routes of global classifiers into it, with their examples, and nothing else", async () => {
    const { _id } = await insertGlobal("Mailroom", ["prj_x", "prj_a", "prj_y", "prj_a"]);
    const before = await store.find(_id);
    await remove("prj_a");
    const after = await store.find(_id);
    expect(after).toEqual({
      ...before,
      routes: before?.routes.filter(({ projectId }) => projectId !== "prj_a"),
      routeCount: 2,
      routeProjectIds: ["prj_x", "prj_y"],
      listedIn: ["prj_x", "prj_y"],
      updatedAt: removedAt,
    });
    expect([...(await store.getExamples(_id)).keys()].sort()).toEqual(after?.routes.map(({ id }) => id).sort());
    await remove("prj_a");
    expect(await store.find(_id)).toEqual(after);
  });

  it("do not include a classifier of the project that was made global, except for its routes", async () => {
    const stored = classifier("Once here", "prj_a", [route("mdl_1")]);
    await insert(stored);
    await makeGlobal(store, stored._id);
    await remove("prj_a");
    expect(await store.find(stored._id)).toMatchObject({
      projectId: null,
      routes: [],
      routeCount: 0,
      routeProjectIds: [],
    });
  });

  it("cannot be written after the project was deleted", async () => {
    const [own, { _id: globalId }] = [classifier("Kept", "prj_a"), await insertGlobal("Mailroom", ["prj_x"])];
    await insert(own);
    await deletedProjects.add({ projectId: "prj_a", organizationId: "org_a" }, at);
    expect((await insert(classifier("New", "prj_a"))).outcome).toBe("not-found");
    expect((await makeGlobal(store, own._id)).outcome).toBe("not-found");
    const into = (projectId: string) => addRoute(store, globalId, route("mdl_9", null, projectId), ["e"]);
    expect((await into("prj_a")).outcome).toBe("project-not-found");
    expect((await into("prj_b")).outcome).toBe("done");
    expect(await models.claims.findById("org_a/new").lean()).toBeNull();
  });

  it("do not include routes into other projects that are added during the removal", async () => {
    const { _id } = await insertGlobal("Mailroom", ["prj_a", "prj_a"]);
    const others = Array.from({ length: 10 }, (_, index) => route(`mdl_${index}`, null, "prj_b"));
    await Promise.all([remove("prj_a"), ...others.map((one) => addRoute(store, _id, one)), remove("prj_a")]);
    expect(await store.find(_id)).toMatchObject({ routeCount: 10, routeProjectIds: ["prj_b"] });
  });
});
