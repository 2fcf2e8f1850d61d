import { connectStorage, createDeletedProjects } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase, testDatabaseName } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { at, classifier, route } from "../testing/documents.ts";
import { classifierModels } from "./classifier-document.ts";
import type { ClassifierDocument, RouteDocument } from "./classifier-document.ts";
import { createClassifierStore, maximumRoutes } from "./classifiers.ts";
import type { ClassifierStore } from "./classifiers.ts";

const rounds = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 200 : 20;
describe(`the store of classifiers on the ${testDatabaseName}`, () => {
  let database: TestDatabase;
  let storage: Storage;
  let store: ClassifierStore;
  beforeAll(async () => {
    database = await startTestDatabase();
    storage = await connectStorage({ uri: database.uri, database: "switchyard_classifier" });
    const models = classifierModels(storage.connection);
    store = createClassifierStore(storage, models, createDeletedProjects(storage.connection));
    await storage.ready();
  }, 60_000);
  afterAll(async () => {
    await storage?.close();
    await database?.close();
  });

  const insert = (document: ClassifierDocument) => store.insert(document, new Map());

  it("keeps what it is given, examples apart", async () => {
    const one = route("mdl_1");
    const given = classifier("Kept", "prj_a", [one]);
    await store.insert(given, new Map([[one.id, ["an example"]]]));
    expect(await store.find(given._id)).toEqual(given);
    expect(await store.examplesOf(given._id)).toEqual(new Map([[one.id, ["an example"]]]));
    expect(await store.find("clf_unknown")).toBeUndefined();
  });

  it("holds a name once in a project, whatever its case, and again in another project", async () => {
    expect((await insert(classifier("Inbox"))).outcome).toBe("done");
    expect((await insert(classifier(" iNBOX "))).outcome).toBe("name-taken");
    expect((await insert(classifier("Inbox", "prj_b"))).outcome).toBe("done");
  });

  it("gives a global classifier its name alone, across the organization", async () => {
    const alone = classifier("Mailroom");
    await insert(alone);
    expect((await store.makeGlobal(alone._id, at)).outcome).toBe("done");
    expect((await insert(classifier("mailroom", "prj_b"))).outcome).toBe("name-taken");
    const first = classifier("Twice");
    await insert(first);
    await insert(classifier("Twice", "prj_b"));
    expect((await store.makeGlobal(first._id, at)).outcome).toBe("name-taken");
    expect((await store.find(first._id))?.projectId).toBe("prj_a");
    expect((await store.makeGlobal("clf_unknown", at)).outcome).toBe("gone");
  });

  it("lists a project's own and the global ones that route into it, newest first, by pages", async () => {
    const own = classifier("L1", "prj_l");
    const reaching = classifier("L2", "prj_m", [route("mdl_1", null, "prj_l")]);
    const elsewhere = classifier("L3", "prj_m", [route("mdl_2", null, "prj_m")]);
    for (const one of [own, reaching, elsewhere]) await insert(one);
    for (const one of [reaching, elsewhere]) await store.makeGlobal(one._id, at);
    const query = { organizationId: "org_a", projectId: "prj_l" };
    const ids = (found: ClassifierDocument[]): string[] => found.map(({ _id }) => _id);
    expect(ids(await store.list(query))).toEqual([reaching._id, own._id]);
    expect(ids(await store.list({ ...query, limit: 1 }))).toEqual([reaching._id]);
    expect(ids(await store.list({ ...query, limit: 1, before: reaching._id }))).toEqual([own._id]);
    expect(await store.list({ organizationId: "org_b", projectId: "prj_l" })).toEqual([]);
  });

  it("adds no target twice; a model and its deployment are different targets", async () => {
    const given = classifier("Targets");
    await insert(given);
    const add = (one: RouteDocument) => store.addRoute(given, one, [], at);
    const first = route("mdl_1");
    expect((await add(first)).outcome).toBe("added");
    expect(await add(route("mdl_1"))).toEqual({ outcome: "duplicate", existingRouteId: first.id });
    expect((await add(route("mdl_1", "dep_1"))).outcome).toBe("added");
    expect((await store.addRoute({ _id: given._id, projectId: null }, route("mdl_2"), [], at)).outcome).toBe("changed");
    expect((await store.addRoute({ _id: "clf_unknown", projectId: null }, route("mdl_2"), [], at)).outcome).toBe(
      "gone",
    );
  });

  it("has room for 200 routes", async () => {
    const full = classifier(
      "Full",
      "prj_a",
      Array.from({ length: maximumRoutes - 1 }, (_, index) => route(`mdl_${index}`)),
    );
    await insert(full);
    const added = await Promise.all([route("mdl_x"), route("mdl_y")].map((one) => store.addRoute(full, one, [], at)));
    expect(added.map(({ outcome }) => outcome).sort()).toEqual(["added", "full"]);
    expect((await store.find(full._id))?.routes).toHaveLength(maximumRoutes);
  });

  describe(`in races, ${rounds} rounds`, () => {
    const repeat = async (race: (round: number) => Promise<void>): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) await race(round);
    };

    it("lets one of two identical routes in", async () => {
      await repeat(async (round) => {
        const given = classifier(`Race ${round}`);
        await insert(given);
        const added = await Promise.all([1, 2].map(() => store.addRoute(given, route("mdl_1"), ["e"], at)));
        expect(added.map(({ outcome }) => outcome).sort()).toEqual(["added", "duplicate"]);
        expect((await store.examplesOf(given._id)).size).toBe(1);
      });
    }, 120_000);

    it("lets one of two classifiers have a name, and nobody beside a global one", async () => {
      await repeat(async (round) => {
        const twins = await Promise.all([1, 2].map(() => insert(classifier(`Twin ${round}`))));
        expect(twins.map(({ outcome }) => outcome).sort()).toEqual(["done", "name-taken"]);
        const one = classifier(`Wide ${round}`);
        await insert(one);
        const [wide, other] = await Promise.all([
          store.makeGlobal(one._id, at),
          insert(classifier(`Wide ${round}`, "prj_b")),
        ]);
        expect([wide.outcome, other.outcome].sort()).toEqual(["done", "name-taken"]);
      });
    }, 120_000);
  });
});
