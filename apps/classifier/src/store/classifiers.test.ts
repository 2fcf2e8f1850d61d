import { create } from "@bufbuild/protobuf";
import { createDeletedProjects } from "@switchyard/change-feed";
import type { NotedChange } from "@switchyard/change-feed";
import { DeleteClassifierResponseSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { connectStorage } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase, testDatabaseName } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import type { AuditedChange } from "../domain/administration/audited-change.ts";
import * as documents from "../testing/documents.ts";
import { at, classifier, route } from "../testing/documents.ts";
import { classifierModels } from "./classifier-document.ts";
import type { ClassifierDocument, ClassifierModels, RouteDocument } from "./classifier-document.ts";
import { createClassifierStore } from "./classifiers.ts";
import type { ClassifierChanges, ExamplesByRoute, ChangeDecision } from "./classifier-writer.ts";
import type { ClassifierStore } from "./classifiers.ts";

const rounds = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 200 : 10;
describe(`the store of classifiers on the ${testDatabaseName}`, () => {
  let database: TestDatabase;
  let storage: Storage;
  let store: ClassifierStore;
  let models: ClassifierModels;
  beforeAll(async () => {
    database = await startTestDatabase();
    storage = await connectStorage({ uri: database.uri, database: "switchyard_classifier" });
    models = classifierModels(storage.connection);
    store = createClassifierStore(
      storage,
      models,
      createDeletedProjects(storage.connection),
      documents.createIdleOutbox(storage),
    );
    await storage.ready();
  });
  afterAll(async () => {
    await storage?.close();
    await database?.close();
  });

  const insert = (document: ClassifierDocument) => store.insert(document, new Map());
  const change = (id: string, changes: ClassifierChanges, examples?: ExamplesByRoute, time = at) =>
    store.change(id, time, () => ({ action: "change", changes, ...(examples === undefined ? {} : { examples }) }));
  const makeGlobal = (id: string) => documents.makeGlobal(store, id);
  const remove = (id: string) => store.change(id, at, () => ({ action: "remove" }));

  it("stores classifiers, and their examples separately", async () => {
    const one = route("mdl_1");
    const stored = classifier("Kept", "prj_a", [one]);
    await store.insert(stored, new Map([[one.id, ["an example"]]]));
    expect(await store.find(stored._id)).toEqual(stored);
    expect(await store.getExamples(stored._id)).toEqual(new Map([[one.id, ["an example"]]]));
    expect((await store.getExamples(stored._id, ["rte_other", one.id])).size).toBe(1);
    expect((await store.getExamples(stored._id, ["rte_other"])).size).toBe(0);
    expect(await store.find("clf_unknown")).toBeUndefined();
  });

  it("adds an audit entry for each change of a call, and none if nothing changed or there is no call", async () => {
    const outbox = storage.connection.collection("audit_outbox");
    const stored = classifier("Noted");
    const call = {
      toResponse: () => create(DeleteClassifierResponseSchema),
      note: ({ targetId, changes }: AuditedChange): NotedChange => ({
        ...{ at, organizationId: "org_a", tokenId: "tok_a", userId: "usr_a", requestId: "req", method: "M" },
        ...{ targetId, changes },
      }),
    };
    await store.insert(stored, new Map(), call);
    await store.insert(classifier(" noted"), new Map(), call);
    const changed = (change: ChangeDecision<string>) => store.change(stored._id, at, () => change, call);
    const added = route("mdl_1");
    const addition: ChangeDecision<string> = { action: "change", changes: { routes: [added] } };
    for (let round = 0; round < 2; round += 1) {
      await changed({ action: "change", changes: { name: "Other" } });
      await changed({ ...addition, examples: new Map([[added.id, ["one"]]]) });
    }
    await changed({ action: "refuse", refusal: "no" });
    await change(stored._id, { description: "without a call" });
    await changed({ action: "remove" });
    const noted = await outbox.find({}).sort({ _id: 1 }).toArray();
    const target = { deploymentId: "mdl_1", targetDeploymentId: null };
    expect(noted.map(({ targetId, changes }) => [targetId, JSON.parse(String(changes))])).toEqual([
      [stored._id, { name: "Noted", projectId: "prj_a" }],
      [stored._id, { name: { from: "Noted", to: "Other" } }],
      [added.id, { classifierId: stored._id, name: "mdl_1", ...target, examples: { added: 1, removed: 0 } }],
      [stored._id, { name: "Other", projectId: "prj_a" }],
    ]);
  });

  it("allows a name once per project, ignoring case", async () => {
    expect((await insert(classifier("Inbox"))).outcome).toBe("done");
    expect((await insert(classifier(" iNBOX "))).outcome).toBe("name-taken");
    expect((await insert(classifier("Inbox", "prj_b"))).outcome).toBe("done");
  });

  it("allows the name of a global classifier once per organization", async () => {
    const alone = classifier("Mailroom");
    await insert(alone);
    expect((await makeGlobal(alone._id)).outcome).toBe("done");
    expect((await insert(classifier("mailroom", "prj_b"))).outcome).toBe("name-taken");
    const first = classifier("Twice");
    await insert(first);
    await insert(classifier("Twice", "prj_b"));
    expect((await makeGlobal(first._id)).outcome).toBe("name-taken");
    expect((await store.find(first._id))?.projectId).toBe("prj_a");
    expect((await makeGlobal("clf_unknown")).outcome).toBe("not-found");
  });

  it("lists the classifiers of a project and the global ones that route into it, newest first, in pages", async () => {
    const own = classifier("L1", "prj_l");
    const reaching = classifier("L2", "prj_m", [route("mdl_1", null, "prj_l")]);
    const elsewhere = classifier("L3", "prj_m", [route("mdl_2", null, "prj_m")]);
    for (const one of [own, reaching, elsewhere]) await insert(one);
    for (const one of [reaching, elsewhere]) await makeGlobal(one._id);
    const query = { organizationId: "org_a", projectId: "prj_l" };
    const ids = (found: readonly ClassifierDocument[]): string[] => found.map(({ _id }) => _id);
    expect(ids(await store.list(query))).toEqual([reaching._id, own._id]);
    expect(ids(await store.list({ ...query, limit: 1 }))).toEqual([reaching._id]);
    expect(ids(await store.list({ ...query, limit: 1, before: reaching._id }))).toEqual([own._id]);
    expect(await store.list({ organizationId: "org_b", projectId: "prj_l" })).toEqual([]);
    expect(await store.listIdsOfUnplaced(query)).toEqual([reaching._id]);
  });

  it("remembers which classifiers of a project have been global", async () => {
    const [former, always] = [classifier("Former", "prj_f"), classifier("Always", "prj_f")];
    for (const one of [former, always]) await insert(one);
    const query = { organizationId: "org_a", projectId: "prj_f" };
    await makeGlobal(former._id);
    expect(await store.listIdsOfUnplaced(query)).toEqual([]);
    for (const projectId of ["prj_f", null, "prj_f"]) await change(former._id, { projectId });
    await change(former._id, { name: "Renamed" });
    expect(await store.listIdsOfUnplaced(query)).toEqual([former._id]);
    await change(former._id, { projectId: null, routes: [route("mdl_1", null, "prj_f")] });
    expect(await store.listIdsOfUnplaced(query)).toEqual([former._id]);
  });

  it("counts the classifications of a route until it is removed", async () => {
    const [kept, removed] = [route("mdl_1"), route("mdl_2")];
    const stored = classifier("Counting", "prj_a", [kept, removed]);
    await insert(stored);
    const wins = { [`wins.${kept.id}`]: 3, [`wins.${removed.id}`]: 4 };
    await models.classifiers.updateOne({ _id: stored._id }, { $inc: wins });
    await change(stored._id, { routes: [kept] });
    expect((await store.find(stored._id))?.wins).toEqual({ [kept.id]: 3 });
  });

  it("writes values that differ, and then increases updatedAt", async () => {
    const one = route("mdl_1");
    const stored = classifier("Still", "prj_a", [one]);
    await store.insert(stored, new Map([[one.id, ["same"]]]));
    const same = { name: "Still", settings: { ...stored.settings }, routes: [{ ...one }], projectId: "prj_a" };
    const later = new Date(at.getTime() + 1_000);
    expect(await change(stored._id, same, new Map([[one.id, ["same"]]]), later)).toEqual({
      outcome: "done",
      classifier: stored,
    });
    expect(await store.find(stored._id)).toEqual(stored);
    const times: number[] = [];
    const steps: [ClassifierChanges, ExamplesByRoute][] = [
      [{ description: "new" }, new Map()],
      [{}, new Map([[one.id, ["other"]]])],
      [{ routes: [{ ...one, enabled: false }] }, new Map()],
    ];
    for (const [changes, examples] of steps) {
      await change(stored._id, changes, examples);
      times.push((await store.find(stored._id))?.updatedAt.getTime() ?? 0);
    }
    expect(times).toEqual([1, 2, 3].map((more) => at.getTime() + more));
    expect(await store.getExamples(stored._id)).toEqual(new Map([[one.id, ["other"]]]));
  });

  it("changes the claim of a name with the name and the scope, and releases it on deletion", async () => {
    const stored = classifier("Moving");
    await insert(stored);
    await insert(classifier("Held", "prj_b"));
    expect((await change(stored._id, { name: "MOVING" })).outcome).toBe("done");
    expect((await change(stored._id, { name: "held" })).outcome).toBe("done");
    expect((await makeGlobal(stored._id)).outcome).toBe("name-taken");
    expect((await change(stored._id, { name: "Moved" })).outcome).toBe("done");
    expect((await makeGlobal(stored._id)).outcome).toBe("done");
    expect((await insert(classifier("moved", "prj_b"))).outcome).toBe("name-taken");
    expect((await change(stored._id, { name: "HELD" })).outcome).toBe("name-taken");
    expect((await change(stored._id, { projectId: "prj_c" })).outcome).toBe("done");
    for (const name of ["Moving", "held", "moved"]) {
      const other = classifier(name, "prj_d");
      expect((await insert(other)).outcome).toBe("done");
      await remove(other._id);
    }
    expect((await remove(stored._id)).outcome).toBe("done");
    expect((await remove(stored._id)).outcome).toBe("not-found");
    expect(await models.claims.find({ _id: "org_a/moved" }).lean()).toEqual([]);
  });

  it("deletes the examples of deleted routes and classifiers", async () => {
    const routes = [route("mdl_1"), route("mdl_2")];
    const stored = classifier("Forgetful", "prj_a", routes);
    await store.insert(stored, new Map(routes.map(({ id }) => [id, [id]])));
    const [first, second] = routes as [RouteDocument, RouteDocument];
    await change(stored._id, { routes: [second] });
    expect([...(await store.getExamples(stored._id)).keys()]).toEqual([second.id]);
    await change(stored._id, {}, new Map([[second.id, []]]));
    expect((await store.getExamples(stored._id)).size).toBe(0);
    await change(stored._id, { routes: [second, first] }, new Map([[first.id, ["again"]]]));
    await remove(stored._id);
    expect((await store.getExamples(stored._id)).size).toBe(0);
    expect(await store.find(stored._id)).toBeUndefined();
  });

  it("changes nothing if the decision is to refuse or to retry", async () => {
    const stored = classifier("Refused");
    await insert(stored);
    expect(await store.change(stored._id, at, () => ({ action: "refuse", refusal: 7 }))).toEqual({
      outcome: "refused",
      refusal: 7,
    });
    expect(await store.change(stored._id, at, () => ({ action: "retry" }))).toEqual({ outcome: "retry" });
    expect(await store.find(stored._id)).toEqual(stored);
  });

  it("lists the classifiers of an organization that route to a model or one of its deployments", async () => {
    const first = classifier("To it", "prj_r", [route("mdl_r"), route("mdl_s")]);
    const second = classifier("To its deployment", "prj_r", [route("mdl_r", "dep_r")]);
    for (const one of [first, second, classifier("Elsewhere", "prj_r", [route("mdl_s")])]) await insert(one);
    expect(
      (await store.listRoutingTo("org_a", { modelId: "mdl_r", deploymentId: null })).map(({ _id }) => _id),
    ).toEqual([second._id, first._id]);
    expect(await store.listRoutingTo("org_b", { modelId: "mdl_r", deploymentId: null })).toEqual([]);
  });

  describe(`with concurrent writes, ${rounds} rounds`, () => {
    const repeat = async (race: (round: number) => Promise<void>): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) await race(round);
    };

    it("accepts one of two identical routes", async () => {
      await repeat(async (round) => {
        const stored = classifier(`Race ${round}`);
        await insert(stored);
        const added = await Promise.all([1, 2].map(() => documents.addRoute(store, stored._id, route("mdl_1"), ["e"])));
        expect(added.map(({ outcome }) => outcome).sort()).toEqual(["done", "refused"]);
        expect((await store.getExamples(stored._id)).size).toBe(1);
      });
    });

    it("accepts one of two classifiers with the same name, and none beside a global one", async () => {
      await repeat(async (round) => {
        const twins = await Promise.all([1, 2].map(() => insert(classifier(`Twin ${round}`))));
        expect(twins.map(({ outcome }) => outcome).sort()).toEqual(["done", "name-taken"]);
        const one = classifier(`Wide ${round}`);
        await insert(one);
        const [wide, other] = await Promise.all([makeGlobal(one._id), insert(classifier(`Wide ${round}`, "prj_b"))]);
        expect([wide.outcome, other.outcome].sort()).toEqual(["done", "name-taken"]);
      });
    });

    it("accepts one of two global classifiers that are renamed to the same name, and loses no change of another field", async () => {
      await repeat(async (round) => {
        const both = [classifier(`G1 ${round}`), classifier(`G2 ${round}`)];
        for (const one of both) await insert(one).then(() => makeGlobal(one._id));
        const renamed = await Promise.all([
          ...both.map(({ _id }) => change(_id, { name: `One ${round}` })),
          ...both.map(({ _id }) => change(_id, { description: "kept" })),
        ]);
        expect(renamed.map(({ outcome }) => outcome).sort()).toEqual(["done", "done", "done", "name-taken"]);
        const now = await Promise.all(both.map(({ _id }) => store.find(_id)));
        expect(now.filter((one) => one?.name === `One ${round}`)).toHaveLength(1);
        expect(now.map((one) => one?.description)).toEqual(["kept", "kept"]);
      });
    });

    it("gives the name of a deleted classifier to at most one of two others", async () => {
      await repeat(async (round) => {
        const [old, ...next] = [1, 2, 3].map(() => classifier(`Successor ${round}`)) as [ClassifierDocument];
        await insert(old);
        const [, ...successors] = await Promise.all([remove(old._id), ...next.map((one) => insert(one))]);
        expect(successors.filter(({ outcome }) => outcome === "done").length).toBeLessThan(2);
        expect((await insert(classifier(`Successor ${round}`))).outcome).toBe(
          successors.some(({ outcome }) => outcome === "done") ? "name-taken" : "done",
        );
      });
    });
  });
});
