import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createHandlerContext } from "@connectrpc/connect";
import { withIdentity } from "@switchyard/access";
import {
  BatchClassifyRequestSchema,
  ClassifierService,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { BatchClassifyResponse, BatchItemSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
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
function classify(fileIds: readonly string[], dependencies: object): Promise<BatchClassifyResponse> {
  const items = fileIds.map((value) => ({ document: { case: "fileId" as const, value } }));
  return classifyItems(items, dependencies);
}

async function classifyItems(
  items: MessageInitShape<typeof BatchItemSchema>[],
  dependencies: object,
  signal = new AbortController().signal,
): Promise<BatchClassifyResponse> {
  const caller = create(CallerSchema, {
    ...{ organizationId: "org_a", userId: "usr_a", tokenId: "tok_a" },
    ...{ scope: TokenScope.PROJECT, projectIds: ["prj_a"] },
  });
  const context = createHandlerContext({
    ...{ service: ClassifierService, method: ClassifierService.method.batchClassify },
    ...{ protocolName: "connect", requestMethod: "POST", url: "http://localhost" },
    contextValues: withIdentity({ service: "gateway", caller }),
    requestSignal: signal,
  });
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

/** Dependencies with which no route is a candidate. `readDocument` stores inline documents, which `discarded` names when they are removed. */
function createDependencies(readDocument: (document: { value: unknown }) => Promise<string>) {
  const discarded: string[] = [];
  const stored: ClassificationRecord[] = [];
  const dependencies = {
    classifiers: { findConfiguration: async () => classifier },
    classifications: { insert: async (records: readonly ClassificationRecord[]) => stored.push(...records) > 0 },
    targets: { resolveTargets: async () => create(ResolveTargetsResponseSchema) },
    documents: {
      async readDocument({ document }: { document: { value: unknown } }) {
        const file = { id: await readDocument(document), projectId: "prj_a" };
        return create(ReadDocumentResponseSchema, { text: "INVOICE", file });
      },
      discardDocument: async ({ fileId }: { fileId: string }) => void discarded.push(fileId),
    },
    engineChoice: {
      admit: () => undefined,
      open: () => ({ first: { name: "local", modelName: null, version: "2" }, second: null }),
    },
    now: () => new Date(),
  };
  return { dependencies, stored, discarded };
}

describe("the records of a batch", () => {
  it("have the time at which they are stored, so that lists and events do not miss those that were decided first", async () => {
    let lastReadAt = 0;
    const { dependencies, stored } = createDependencies(async ({ value }) => {
      if (value === "fil_2") await sleep(100);
      lastReadAt = Date.now();
      return String(value);
    });
    const response = await classify(["fil_1", "fil_2"], dependencies);
    const records = response.results.flatMap(({ classification }) => classification ?? []);
    expect(stored.map(({ classification }) => classification.id)).toEqual(records.map(({ id }) => id));
    expect(records.map(({ fileId }) => fileId)).toEqual(["fil_1", "fil_2"]);
    for (const { id, createdAt } of records) {
      expect(getIdTime(id).getTime()).toBeGreaterThanOrEqual(lastReadAt);
      expect(createdAt && timestampDate(createdAt)).toEqual(getIdTime(id));
    }
  });
});

describe("the inline documents of a batch", () => {
  const texts = ["one", "two", "three"];
  const items = [
    ...texts.map((value) => ({ document: { case: "text" as const, value } })),
    { document: { case: "fileId" as const, value: "fil_given" } },
  ];
  let count = 0;
  const readDocument = async ({ value }: { value: unknown }) => {
    count += 1;
    return typeof value === "string" ? value : `fil_inline_${String(count)}`;
  };
  const inline = expect.stringMatching(/^fil_inline_/) as string;

  it("are kept with their records", async () => {
    const { dependencies, stored, discarded } = createDependencies(readDocument);
    await classifyItems(items, dependencies);
    expect(stored).toHaveLength(4);
    expect(discarded).toEqual([]);
  });

  it.each([
    ["the classifier was deleted", async () => false, [inline, inline, inline]],
    [
      "too many calls change it",
      () => Promise.reject(unavailable("STORAGE_BUSY", "Try again.")),
      [inline, inline, inline],
    ],
    ["the database does not say whether the records were stored", () => Promise.reject(new Error("closed")), []],
  ])("are removed unless the records may be stored: %s", async (_, insert, expected) => {
    const { dependencies, discarded } = createDependencies(readDocument);
    await expect(classifyItems(items, { ...dependencies, classifications: { insert } })).rejects.toThrow();
    expect(discarded).toEqual(expected);
  });

  it("are removed if the call ends before all are decided", async () => {
    const ending = new AbortController();
    const { dependencies, stored, discarded } = createDependencies(async (document) => {
      if (document.value === "fil_given") ending.abort();
      return readDocument(document);
    });
    await expect(classifyItems([...items, ...items], dependencies, ending.signal)).rejects.toThrow();
    expect(stored).toEqual([]);
    expect(discarded).toEqual([inline, inline, inline]);
  });
});
