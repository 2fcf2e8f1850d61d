import { create } from "@bufbuild/protobuf";
import { ClassificationSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { startTestDatabase, testDatabaseName, useDatabase } from "@switchyard/storage/testing";
import { classificationModel, idPrefix } from "./classification-document.ts";
import type { Placement } from "./classification-document.ts";
import { createClassificationStore } from "./classifications.ts";
import type { ClassificationStore } from "./classifications.ts";
import { classifierModels } from "./classifier-document.ts";

describe(`the placements of records on the ${testDatabaseName}`, () => {
  const database = useDatabase(startTestDatabase);
  let storage: Storage;
  let store: ClassificationStore;
  let id: string;

  const own: Placement = { sourceFileId: "fil_1", extract: true, dueAt: new Date(1_000) };
  const target = { fileId: "fil_1", projectId: "prj_1", modelId: "mdl_1", schemaId: "sch_1", createdBy: "usr_1" };
  const reviewed: Placement = { ...own, review: { ...target, extractionId: "ext_1" } };
  const later: Placement = { ...own, review: { ...target, extractionId: "ext_2" } };

  beforeEach(async () => {
    storage = await connectStorage({ uri: database.uri, database: newId("test") });
    const models = classifierModels(storage.connection);
    const records = classificationModel(storage);
    store = createClassificationStore(storage, models, records);
    await storage.ready();
    id = newId(idPrefix);
    const classification = create(ClassificationSchema, { id, classifierId: "clf_1", fileId: "fil_1" });
    const record = { classification, organizationId: "org_a", tokenId: "tok_1", projectId: "prj_1", placement: own };
    await models.classifiers.collection.insertOne({ _id: "clf_1" as never });
    expect(await store.insert([record], () => classification)).toBe(true);
    place = async (placement) => void (await records.updateOne({ _id: id }, { $set: { placement } }));
  });
  afterEach(() => storage.close());

  let place: (placement: Placement) => Promise<void>;
  const isPending = async () => (await store.find(id))?.placement !== undefined;

  it("are done when they are marked, and not the later one of a review", async () => {
    await place(reviewed);
    await store.markPlaced([id]);
    await store.markPlacedWith(id, []);
    expect(await isPending()).toBe(true);
    await place(later);
    await store.markPlaced([id], reviewed.review);
    await store.markPlacedWith(id, [], reviewed.review);
    expect(await isPending()).toBe(true);
    await store.markPlaced([id], later.review);
    expect(await isPending()).toBe(false);
    await place(own);
    await store.markPlaced([id]);
    expect(await isPending()).toBe(false);
  });

  it("are postponed only while they are pending", async () => {
    await store.postpone(id, new Date(2_000));
    expect((await store.find(id))?.placement).toEqual({ ...own, dueAt: new Date(2_000) });
    await store.markPlaced([id]);
    await store.postpone(id, new Date(3_000));
    expect(await isPending()).toBe(false);
  });
});
