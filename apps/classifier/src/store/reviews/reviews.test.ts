import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ClassificationReviewSchema,
  ClassificationSchema,
  ClassificationStatus,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { createDeletedProjects } from "@switchyard/change-feed";
import { connectStorage, createPassingCache, newId, type Storage } from "@switchyard/storage";
import { startTestDatabase, testDatabaseName, useDatabase } from "@switchyard/storage/testing";
import { classifier, createIdleOutbox } from "../../testing/documents.ts";
import { classificationModel, toDocument } from "../classification-document.ts";
import type { ClassificationDocument, ClassificationRecord } from "../classification-document.ts";
import type { FileInProject } from "../../domain/review/reviewed-file.ts";
import type { Model } from "mongoose";
import { classifierModels } from "../classifier-document.ts";
import { createClassifierStore } from "../classifiers.ts";
import type { ClassifierStore } from "../classifiers.ts";
import { createReviewedDocumentStore } from "./reviewed-documents.ts";
import type { ReviewedDocumentStore } from "./reviewed-documents.ts";
import { createReviewStore } from "./reviews.ts";
import type { ReviewCall, ReviewStore } from "./reviews.ts";

const at = new Date("2026-01-02T03:04:05.006Z");
const call: ReviewCall = { toResponse: ({ classification }) => classification, note: () => ({}) as never };

describe(`reviews on the ${testDatabaseName}`, () => {
  const database = useDatabase(startTestDatabase);
  let storage: Storage;
  let records: Model<ClassificationDocument>;
  let classifiers: ClassifierStore;
  let documents: ReviewedDocumentStore;
  let reviews: ReviewStore;
  let inbox: string;
  beforeAll(async () => {
    storage = await connectStorage({ uri: database.uri, database: "classifier" });
    const { connection } = storage;
    records = classificationModel(storage);
    documents = createReviewedDocumentStore(connection, createPassingCache());
    const models = classifierModels(connection);
    const deletedProjects = createDeletedProjects(connection);
    classifiers = createClassifierStore(
      ...([storage, models, deletedProjects, createIdleOutbox(storage), undefined, documents] as const),
    );
    reviews = createReviewStore(storage, models, records, documents, { note: async () => undefined });
    await storage.ready();
    inbox = await insertClassifier("Inbox");
  });
  afterAll(() => storage.close());

  async function insertClassifier(name: string): Promise<string> {
    const document = classifier(name);
    await classifiers.insert(document, new Map());
    return document._id;
  }

  /** Stores a record of a project that somebody should look at. */
  async function insert(projectId: string, classifierId = inbox): Promise<ClassificationRecord> {
    const [id, fileId] = [newId("cls"), newId("fil")];
    const status = ClassificationStatus.UNCLASSIFIED;
    const record: ClassificationRecord = {
      classification: create(ClassificationSchema, { id, classifierId, fileId, status, projectId }),
      ...{ organizationId: "org_1", tokenId: "tok_1", projectId },
      reviewNeed: { rank: 60, code: "NO_MATCH", message: "No route matches." },
    };
    await records.create(toDocument(record));
    return record;
  }

  /** Reviews a record, whose file is placed in other projects besides. */
  async function review(record: ClassificationRecord, placedFiles: readonly FileInProject[] = []) {
    const { id, classifierId, fileId } = record.classification;
    const fileIds = [fileId, ...placedFiles.map((placed) => placed.fileId)];
    await reviews.begin(record);
    return reviews.set(
      record,
      {
        review: create(ClassificationReviewSchema, { reviewedBy: "usr_1", reviewedAt: timestampFromDate(at) }),
        ...{ extraction: undefined, placement: undefined, placedFiles, projectId: record.projectId },
        learned: { id, classifierId, routeId: null, fileIds, text: "INVOICE", choices: [] },
      },
      call,
    );
  }

  const list = async (projectId: string): Promise<string[]> => {
    const wanted = { projectId, classifierIds: [], tokenId: undefined, after: undefined, limit: 10 };
    return (await reviews.listNeeded(wanted)).map(({ classification }) => classification.id);
  };

  it("put a record back on the review list when they are taken back", async () => {
    const record = await insert("prj_back");
    await review(record);
    expect(await list("prj_back")).toEqual([]);
    await reviews.remove(record.classification.id, at, call);
    expect(await list("prj_back")).toEqual([record.classification.id]);
  });

  it("do not put a record back whose file was deleted, because nobody can look at it", async () => {
    const record = await insert("prj_deleted");
    await review(record);
    await reviews.forgetFiles([record.classification.fileId]);
    await reviews.remove(record.classification.id, at, call);
    expect(await list("prj_deleted")).toEqual([]);
  });

  it("put a record back of which only the file in another project was deleted", async () => {
    const record = await insert("prj_source");
    await review(record, [{ projectId: "prj_other", fileId: "fil_other" }]);
    await reviews.forgetFiles(["fil_other"]);
    await reviews.remove(record.classification.id, at, call);
    expect(await list("prj_source")).toEqual([record.classification.id]);
  });

  it("leave no record on the list whose file is deleted while they are taken back", async () => {
    for (let round = 0; round < 10; round += 1) {
      const record = await insert("prj_race");
      await review(record);
      await Promise.all([
        reviews.forgetFiles([record.classification.fileId]),
        reviews.remove(record.classification.id, at, call),
      ]);
    }
    expect(await list("prj_race")).toEqual([]);
  });

  it("teach nothing to a classifier that is deleted at the same time", async () => {
    for (let round = 0; round < 10; round += 1) {
      const deleted = await insertClassifier(`Deleted ${String(round)}`);
      // The first review of a classifier, and later ones.
      if (round % 2 === 1) await review(await insert("prj_1", deleted));
      const record = await insert("prj_1", deleted);
      await Promise.all([review(record), classifiers.change(deleted, at, () => ({ action: "remove" }))]);
      expect(await documents.count(deleted)).toBe(0);
      expect(await review(await insert("prj_1", deleted))).toBe("changed");
      expect(await documents.count(deleted)).toBe(0);
    }
  });
});
