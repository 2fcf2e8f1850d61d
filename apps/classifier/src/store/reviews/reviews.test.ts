import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ClassificationReviewSchema,
  ClassificationSchema,
  ClassificationStatus,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { connectStorage, createPassingCache, newId, type Storage } from "@switchyard/storage";
import { startTestDatabase, useDatabase } from "@switchyard/storage/testing";
import { classificationModel, toDocument } from "../classification-document.ts";
import type { ClassificationDocument, ClassificationRecord } from "../classification-document.ts";
import type { FileInProject } from "../../domain/review/reviewed-file.ts";
import type { Model } from "mongoose";
import { createReviewedDocumentStore } from "./reviewed-documents.ts";
import { createReviewStore } from "./reviews.ts";
import type { ReviewCall, ReviewStore } from "./reviews.ts";

const at = new Date("2026-01-02T03:04:05.006Z");
const call: ReviewCall = { toResponse: ({ classification }) => classification, note: () => ({}) as never };

describe("the review list", () => {
  const database = useDatabase(startTestDatabase);
  let storage: Storage;
  let records: Model<ClassificationDocument>;
  let reviews: ReviewStore;
  beforeAll(async () => {
    storage = await connectStorage({ uri: database.uri, database: "classifier" });
    records = classificationModel(storage);
    const documents = createReviewedDocumentStore(storage.connection, createPassingCache());
    reviews = createReviewStore(storage, records, documents, { note: async () => undefined });
    await storage.ready();
  });
  afterAll(() => storage.close());

  /** Stores a record of a project that somebody should look at. */
  async function insert(projectId: string): Promise<ClassificationRecord> {
    const [id, fileId] = [newId("cls"), newId("fil")];
    const status = ClassificationStatus.UNCLASSIFIED;
    const record: ClassificationRecord = {
      classification: create(ClassificationSchema, { id, classifierId: "clf_1", fileId, status, projectId }),
      ...{ organizationId: "org_1", tokenId: "tok_1", projectId },
      reviewNeed: { rank: 60, code: "NO_MATCH", message: "No route matches." },
    };
    await records.create(toDocument(record));
    return record;
  }

  /** Reviews a record, whose file is placed in other projects besides. */
  async function review(record: ClassificationRecord, placedFiles: readonly FileInProject[] = []): Promise<void> {
    const { id, fileId } = record.classification;
    const fileIds = [fileId, ...placedFiles.map((placed) => placed.fileId)];
    await reviews.begin(record);
    const reviewed = await reviews.set(
      record,
      {
        review: create(ClassificationReviewSchema, { reviewedBy: "usr_1", reviewedAt: timestampFromDate(at) }),
        ...{ extraction: undefined, placement: undefined, placedFiles, projectId: record.projectId },
        learned: { id, classifierId: "clf_1", routeId: null, fileIds, text: "INVOICE", choices: [] },
      },
      call,
    );
    expect(reviewed).toHaveProperty("classification.review");
  }

  const list = async (projectId: string): Promise<string[]> => {
    const wanted = { projectId, globalClassifierIds: [], tokenId: undefined, after: undefined, limit: 10 };
    return (await reviews.listNeeded(wanted)).map(({ classification }) => classification.id);
  };

  it("gets a record back whose review was taken back", async () => {
    const record = await insert("prj_back");
    await review(record);
    expect(await list("prj_back")).toEqual([]);
    await reviews.remove(record.classification.id, at, call);
    expect(await list("prj_back")).toEqual([record.classification.id]);
  });

  it("does not get a record back whose file was deleted, because nobody can look at it", async () => {
    const record = await insert("prj_deleted");
    await review(record);
    await reviews.forgetFiles([record.classification.fileId]);
    await reviews.remove(record.classification.id, at, call);
    expect(await list("prj_deleted")).toEqual([]);
  });

  it("gets a record back of which only the file in another project was deleted", async () => {
    const record = await insert("prj_source");
    await review(record, [{ projectId: "prj_other", fileId: "fil_other" }]);
    await reviews.forgetFiles(["fil_other"]);
    await reviews.remove(record.classification.id, at, call);
    expect(await list("prj_source")).toEqual([record.classification.id]);
  });

  it("never keeps a record whose file is deleted while its review is taken back", async () => {
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
});
