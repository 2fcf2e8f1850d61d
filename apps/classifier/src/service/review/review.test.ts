import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createIdentityKeys, identitySigner, identityVerifier, withIdentity } from "@switchyard/access";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { ReviewService } from "@switchyard/contracts/switchyard/classifier/v1/review";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { createDirectTransport, getProblemFacts, notFound, register } from "@switchyard/rpc";
import { connectStorage, createDocumentCache, type Storage } from "@switchyard/storage";
import { startTestDatabase, useDatabase } from "@switchyard/storage/testing";
import { classificationModel } from "../../store/classification-document.ts";
import { createClassificationStore } from "../../store/classifications.ts";
import { classifierModels } from "../../store/classifier-document.ts";
import { createReviewedDocumentStore } from "../../store/reviews/reviewed-documents.ts";
import { createReviewStore } from "../../store/reviews/reviews.ts";
import { createReviewRpcs } from "./review.ts";

const caller = create(CallerSchema, {
  tokenId: "tok_1",
  userId: "usr_1",
  organizationId: "org_1",
  scope: TokenScope.ORGANIZATION,
  projectIds: ["prj_1"],
  permissions: [Permission.DOCUMENTS_WRITE],
});

describe("a review of a file that is deleted meanwhile", () => {
  const database = useDatabase(startTestDatabase);
  let storage: Storage;
  beforeAll(async () => {
    storage = await connectStorage({ uri: database.uri, database: "classifier" });
  });
  afterAll(() => storage.close());

  it("is refused, and the classifier learns nothing from it", async () => {
    const records = classificationModel(storage);
    const reviewedDocuments = createReviewedDocumentStore(storage.connection, createDocumentCache());
    const models = classifierModels(storage.connection);
    const reviews = createReviewStore(storage, models, records, reviewedDocuments, { note: async () => undefined });
    const classifications = createClassificationStore(storage, models, records);
    await storage.ready();
    const owner = { organizationId: "org_1", projectId: "prj_1" };
    await records.create({
      ...{ _id: "cls_1", ...owner, tokenId: "tok_1", classifierId: "clf_1", status: 2, reason: 0 },
      record: { id: "cls_1", classifierId: "clf_1", fileId: "fil_1" },
    });
    let isDeleted = false;
    const rpcs = createReviewRpcs({
      classifications,
      reviews,
      classifiers: { findConfiguration: async () => ({ _id: "clf_1", ...owner, routes: [], settings: {} }) },
      documents: {
        async readDocument() {
          if (isDeleted) throw notFound("file", "fil_1");
          isDeleted = true;
          // The text is on its way when the file is deleted, and what was learned from it is removed.
          await reviews.forgetFiles(["fil_1"]);
          return { text: "Parking ticket", file: { projectId: "prj_1" } };
        },
      },
      now: () => new Date(),
    } as never);

    const keys = createIdentityKeys(new Uint8Array(32).fill(7));
    const transport = createDirectTransport({
      services: [register(ReviewService, { ...rpcs, listReview: () => ({}) })],
      serverInterceptors: [identityVerifier({ audience: "classifier", keys })],
      interceptors: [identitySigner({ service: "gateway", audience: "classifier", keys })],
    });
    const review = createClient(ReviewService, transport).reviewClassification(
      { classifierId: "clf_1", classificationId: "cls_1" },
      { contextValues: withIdentity({ service: "gateway", caller }) },
    );
    const error = await review.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(getProblemFacts(error).reason).toBe("FILE_GONE");
    expect(await reviewedDocuments.count("clf_1")).toBe(0);
    expect((await classifications.find("cls_1"))?.classification.review).toBeUndefined();
  });
});
