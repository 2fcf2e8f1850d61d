import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createHandlerContext } from "@connectrpc/connect";
import { withIdentity } from "@switchyard/access";
import {
  BatchClassifyRequestSchema,
  ClassifierService,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { BatchClassifyResponse } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ResolveTargetsResponseSchema } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ReadDocumentResponseSchema } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import { CallerSchema } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { unavailable } from "@switchyard/rpc";
import { getIdTime } from "@switchyard/storage";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClassificationRecord } from "../../store/classification-document.ts";
import { classifier as createClassifierDocument, route } from "../../testing/documents.ts";
import type { Dependencies } from "../dependencies.ts";
import { createBatchRpc } from "./batch.ts";

const classifier = createClassifierDocument("Inbox", "prj_a", [route("Invoices")]);

/** Classifies the documents of files in a batch. */
async function classify(fileIds: readonly string[], dependencies: object): Promise<BatchClassifyResponse> {
  const caller = create(CallerSchema, {
    ...{ organizationId: "org_a", userId: "usr_a", tokenId: "tok_a" },
    ...{ scope: TokenScope.PROJECT, projectIds: ["prj_a"] },
  });
  const context = createHandlerContext({
    ...{ service: ClassifierService, method: ClassifierService.method.batchClassify },
    ...{ protocolName: "connect", requestMethod: "POST", url: "http://localhost" },
    contextValues: withIdentity({ service: "gateway", caller }),
  });
  const items = fileIds.map((value) => ({ document: { case: "fileId" as const, value } }));
  const request = create(BatchClassifyRequestSchema, { classifierId: classifier._id, items });
  const { batchClassify } = createBatchRpc(dependencies as unknown as Dependencies);
  return (await batchClassify(request, context)) as BatchClassifyResponse;
}

/** Classifies a document, whose decision fails with an error. Returns its problem, and what was logged. */
async function classifyFailing(error: Error) {
  const logged: [level: string, line: { err?: unknown; reason?: string; requestId?: string; method?: string }][] = [];
  const dependencies = {
    classifiers: { findConfiguration: async () => classifier },
    classifications: { insert: async () => true },
    targets: { resolveTargets: async () => create(ResolveTargetsResponseSchema) },
    documents: { readDocument: async () => create(ReadDocumentResponseSchema, { text: "INVOICE" }) },
    engineChoice: {
      admit: () => undefined,
      open: () => {
        throw error;
      },
    },
    logger: {
      error: (line: object) => logged.push(["error", line]),
      warn: (line: object) => logged.push(["warn", line]),
    },
  };
  const response = await classify(["fil_1"], dependencies);
  return { problem: response.results[0]?.problem, logged };
}

describe("a document of a batch that fails", () => {
  it("has an internal problem that reveals nothing, and is logged in full, for an unexpected error", async () => {
    const error = new TypeError("secret is not a function");
    const { problem, logged } = await classifyFailing(error);
    expect(problem?.code).toBe("INTERNAL");
    expect(problem?.detail).not.toContain("secret");
    expect(logged).toEqual([["error", expect.objectContaining({ err: error, method: "BatchClassify" })]]);
  });

  it("says that the database is unavailable, which is logged without a stack trace", async () => {
    const error = Object.assign(new Error("connection closed"), { name: "MongoNetworkError" });
    const { problem, logged } = await classifyFailing(error);
    expect(problem?.code).toBe("STORAGE_UNAVAILABLE");
    expect(logged).toEqual([
      [
        "warn",
        expect.objectContaining({
          ...{ err: undefined, reason: "STORAGE_UNAVAILABLE", cause: "MongoNetworkError: connection closed" },
        }),
      ],
    ]);
  });

  it("says what failed, and the cause of it is logged", async () => {
    const cause = new Error("the thread ended");
    const error = unavailable("SCORER_UNAVAILABLE", "The document cannot be scored at the moment.", cause);
    const { problem, logged } = await classifyFailing(error);
    expect(problem?.code).toBe("SCORER_UNAVAILABLE");
    expect(logged).toEqual([["warn", expect.objectContaining({ err: error })]]);
  });
});

describe("the records of a batch", () => {
  it("have the time at which they are stored, so that lists and events do not miss those that were decided first", async () => {
    let lastReadAt = 0;
    const stored: ClassificationRecord[] = [];
    const response = await classify(["fil_1", "fil_2"], {
      classifiers: { findConfiguration: async () => classifier },
      classifications: { insert: async (records: readonly ClassificationRecord[]) => stored.push(...records) > 0 },
      targets: { resolveTargets: async () => create(ResolveTargetsResponseSchema) },
      documents: {
        async readDocument({ document }: { document: { value: string } }) {
          if (document.value === "fil_2") await sleep(100);
          lastReadAt = Date.now();
          return create(ReadDocumentResponseSchema, {
            text: "INVOICE",
            file: { id: document.value, projectId: "prj_a" },
          });
        },
      },
      engineChoice: {
        admit: () => undefined,
        open: () => ({ first: { name: "local", modelName: null, version: "2" }, second: null }),
      },
      now: () => new Date(),
    });
    const records = response.results.flatMap(({ classification }) => classification ?? []);
    expect(stored.map(({ classification }) => classification.id)).toEqual(records.map(({ id }) => id));
    expect(records.map(({ fileId }) => fileId)).toEqual(["fil_1", "fil_2"]);
    for (const { id, createdAt } of records) {
      expect(getIdTime(id).getTime()).toBeGreaterThanOrEqual(lastReadAt);
      expect(createdAt && timestampDate(createdAt)).toEqual(getIdTime(id));
    }
  });
});
