import { ExtractionStatus, FileStatus, ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { DocumentReader } from "../../reading/index.ts";
import {
  as,
  callerWith,
  createSystem,
  failure,
  fakeExtractor,
  model,
  projects,
  useSurroundings,
  utf8,
} from "../../testing/system.ts";
import type { System } from "../../testing/system.ts";

const surroundings = useSurroundings();
let system: System;
let extractor: ReturnType<typeof fakeExtractor>;
let time: number;
const minute = 60 * 1000;
const day = 24 * 60 * 60 * 1000;
const caller = callerWith([projects.payables]);
const everywhere = callerWith([projects.payables, projects.legal]);

beforeEach(async () => {
  extractor = fakeExtractor();
  time = Date.now();
  system = await createSystem(surroundings, { extractor, now: () => time });
});
afterEach(() => system.close());

function readInline(filename: string, data: Uint8Array, by = caller) {
  const content = { filename, contentType: "", data };
  return system.classifier.readDocument({ document: { case: "content", value: content } }, as(by));
}

async function inlineFile(text: string): Promise<string> {
  return (await readInline("text.txt", utf8(text))).file?.id ?? "";
}

function start(
  sourceFileId: string,
  changes: { extractionId?: string; fileId?: string; projectId?: string } = {},
  signal?: AbortSignal,
) {
  const request = {
    extractionId: "ext_1",
    sourceFileId,
    fileId: sourceFileId,
    projectId: projects.payables,
    modelId: model.id,
    schemaId: model.schemaId,
    extract: true,
    createdBy: "usr_9",
    ...changes,
  };
  return system.classifier.startRoutedExtraction(request, signal === undefined ? {} : { signal });
}

describe("readDocument", () => {
  it("stores inline bytes without a project, and returns their text", async () => {
    const response = await readInline("text.txt", utf8("Invoice\nTotal 3"));
    expect(response.problem).toBeUndefined();
    expect(response.text).toBe("Invoice\nTotal 3");
    expect(response.file).toMatchObject({ filename: "text.txt", size: 15, status: FileStatus.READ });
    expect(response.file?.projectId).toBeUndefined();
  });

  it("returns the stored text of a file that the caller may read", async () => {
    const file = await system.upload(caller, projects.payables, "a.txt", utf8("Stored before"));
    const response = await system.classifier.readDocument({ document: { case: "fileId", value: file.id } }, as(caller));
    expect(response).toMatchObject({ text: "Stored before", file: { id: file.id, projectId: projects.payables } });
    expect(system.read).toHaveLength(1);
  });

  it("returns at most 20,000 characters", async () => {
    expect((await readInline("long.txt", utf8("word ".repeat(10_000)))).text).toHaveLength(20_000);
  });

  it.each([
    ["damaged.pdf", "%PDF-1.4\n%%EOF", ReadProblem.UNREADABLE_FILE],
    ["blank.txt", " \n\t \n", ReadProblem.EMPTY_DOCUMENT],
    ["program.bin", "\u007fELF\u0002\u0001\u0001\0\0\0\0\0", ReadProblem.UNSUPPORTED_FORMAT],
  ])("returns the problem of %s", async (filename, content, code) => {
    const response = await readInline(filename, utf8(content));
    expect(response.problem?.code).toBe(code);
    expect(response.text).toBe("");
    expect(response.file).toMatchObject({ status: FileStatus.UNREADABLE, reason: { code } });
  });

  it("requires a document that is not empty, and a service as the client", async () => {
    expect(await failure(system.classifier.readDocument({}, as(caller)))).toMatchObject({ code: "InvalidArgument" });
    expect(await failure(readInline("a.txt", utf8("")))).toEqual({ code: "InvalidArgument", reason: "EMPTY_FILE" });
    expect(await failure(readInline("a.pdf", new Uint8Array(26_214_401)))).toMatchObject({
      reason: "PAYLOAD_TOO_LARGE",
    });
    expect(
      await failure(system.classifier.readDocument({ document: { case: "fileId", value: "fil_1" } })),
    ).toMatchObject({ code: "Unauthenticated" });
  });

  it("fails with Unavailable if the reader does, and stores nothing", async () => {
    await system.close();
    let broken = true;
    const reader: Pick<DocumentReader, "read" | "render" | "version"> = {
      version: surroundings.reading.version,
      render: (page) => surroundings.reading.render(page),
      read: (source) => (broken ? Promise.reject(new Error("too many wait")) : surroundings.reading.read(source)),
    };
    system = await createSystem(surroundings, { reader });
    expect(await failure(readInline("a.txt", utf8("a")))).toEqual({
      code: "Unavailable",
      reason: "READER_UNAVAILABLE",
    });
    expect(await system.storage.connection.collection("files").countDocuments({})).toBe(0);
    broken = false;
    expect((await readInline("a.txt", utf8("a"))).text).toBe("a");
  });

  it("reads an unreadable document again after some time", async () => {
    await readInline("a.pdf", utf8("%PDF-1.4\n%%EOF"));
    await readInline("a.pdf", utf8("%PDF-1.4\n%%EOF"));
    expect(system.read).toHaveLength(1);
    time += 11 * 60 * 1000;
    await readInline("a.pdf", utf8("%PDF-1.4\n%%EOF"));
    await readInline("a.pdf", utf8("%PDF-1.4\n%%EOF"));
    expect(system.read).toHaveLength(2);
  });
});

describe("discardDocument", () => {
  it("removes a file without a project, and leaves one that has a project", async () => {
    const [discarded, kept] = [await inlineFile("a"), await inlineFile("a")];
    await system.classifier.adoptFile({ fileId: kept, projectId: projects.payables });
    for (const fileId of [discarded, discarded, kept]) await system.classifier.discardDocument({ fileId });
    const files = await system.storage.connection.collection<{ _id: string }>("files").find({}).toArray();
    expect(files.map(({ _id }) => _id)).toEqual([kept]);
    expect(await failure(system.classifier.discardDocument({}))).toMatchObject({ code: "InvalidArgument" });
    const again = await system.classifier.readDocument({ document: { case: "fileId", value: kept } }, as(caller));
    expect(again.text).toBe("a");
  });
});

describe("adoptFile", () => {
  it("gives all files but one with the same bytes a warning, with and without extractions at the same time", async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => inlineFile("the same")));
    const placed = await Promise.all(
      ids.map((fileId, n) =>
        n % 3 === 0
          ? start(fileId, { extractionId: `ext_${n}` })
          : system.classifier.adoptFile({ fileId, projectId: projects.payables }),
      ),
    );
    expect(placed.map(({ warnings }) => warnings.length).toSorted()).toEqual([
      0,
      ...Array.from({ length: 11 }, () => 1),
    ]);
    const { files } = await system.gateway.listFiles({ projectId: projects.payables }, as(caller));
    expect(files.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const { extractions } = await system.gateway.listExtractions({ projectId: projects.payables }, as(caller));
    expect(extractions.map(({ status }) => status)).toEqual(
      Array.from({ length: 4 }, () => ExtractionStatus.COMPLETED),
    );
  });

  it("assigns a file to one project permanently", async () => {
    const fileId = await inlineFile("a");
    const responses = await Promise.all([
      failure(system.classifier.adoptFile({ fileId, projectId: projects.payables })),
      failure(system.classifier.adoptFile({ fileId, projectId: projects.legal })),
    ]);
    expect(responses.map(({ code }) => code).toSorted()).toEqual(["FailedPrecondition", "OK"]);
    const file = await system.gateway.getFile({ fileId }, as(everywhere));
    const again = await system.classifier.adoptFile({ fileId, projectId: file.projectId ?? "" });
    expect(again).toEqual(file);
    expect(await failure(system.classifier.adoptFile({ fileId: "fil_none", projectId: projects.legal }))).toMatchObject(
      {
        code: "NotFound",
      },
    );
  });
});

describe("startRoutedExtraction", () => {
  it("adopts the file and extracts it", async () => {
    const fileId = await inlineFile("Total 12.50");
    const extraction = await start(fileId);
    expect(extraction).toMatchObject({
      id: "ext_1",
      fileId,
      projectId: projects.payables,
      modelId: model.id,
      schemaId: model.schemaId,
      status: ExtractionStatus.COMPLETED,
    });
    expect(extraction.targetDeploymentId).toBeUndefined();
    expect(extraction.tables[0]?.rows[0]?.values["total"]?.kind).toEqual({ case: "numberValue", value: 12.5 });
    expect(await system.gateway.getExtraction({ extractionId: "ext_1" }, as(caller))).toEqual(extraction);
    expect(await system.gateway.getFile({ fileId }, as(caller))).toMatchObject({ projectId: projects.payables });
    expect(system.read).toHaveLength(1);
  });

  it("creates one extraction and one file for several requests with the same IDs", async () => {
    const source = await system.upload(caller, projects.payables, "a.txt", utf8("a"));
    const ids = { fileId: "fil_copy", projectId: projects.legal };
    const responses = await Promise.all([1, 2, 3, 4].map(() => start(source.id, ids)));
    responses.push(await start(source.id, ids));
    expect(new Set(responses.map((response) => response.id))).toEqual(new Set(["ext_1"]));
    expect(responses.at(-1)?.status).toBe(ExtractionStatus.COMPLETED);
    expect(extractor.count).toBe(1);
    const { files } = await system.gateway.listFiles({ projectId: projects.legal }, as(everywhere));
    expect(files).toHaveLength(1);
    expect(files[0]).toMatchObject({ id: "fil_copy", sha256: source.sha256, createdBy: "usr_9", filename: "a.txt" });
    const { extractions } = await system.gateway.listExtractions({ projectId: projects.legal }, as(everywhere));
    expect(extractions).toHaveLength(1);
    expect(await system.gateway.getFile({ fileId: source.id }, as(caller))).toEqual(source);
    const text = await system.gateway.getFileText({ fileId: "fil_copy" }, as(everywhere));
    expect(text.pages[0]?.text).toBe("a\n");
  });

  it("only assigns the file to the project if no extraction is requested", async () => {
    const fileId = await inlineFile("a");
    const request = { sourceFileId: fileId, fileId, projectId: projects.payables, modelId: model.id, extract: false };
    const response = await system.classifier.startRoutedExtraction({ ...request, extractionId: "ext_1" });
    expect(response).toMatchObject({ id: "ext_1", fileId, status: ExtractionStatus.UNSPECIFIED });
    expect(response.createdAt).toBeUndefined();
    expect((await system.gateway.getFile({ fileId }, as(caller))).projectId).toBe(projects.payables);
    expect(await failure(system.gateway.getExtraction({ extractionId: "ext_1" }, as(caller)))).toEqual({
      code: "NotFound",
      reason: "EXTRACTION_NOT_FOUND",
    });
  });

  it("writes nothing if the file belongs to another project or does not exist", async () => {
    const source = await system.upload(caller, projects.payables, "a.txt", utf8("a"));
    expect(await failure(start(source.id, { projectId: projects.legal }))).toEqual({
      code: "FailedPrecondition",
      reason: "FILE_IN_OTHER_PROJECT",
    });
    expect(await failure(start("fil_none"))).toMatchObject({ code: "NotFound" });
    expect(await failure(start("fil_none", { fileId: "fil_other" }))).toMatchObject({ code: "NotFound" });
    expect(extractor.count).toBe(0);
    const { statuses } = await system.classifier.getExtractionStatuses({ extractionIds: ["ext_1"] });
    expect(statuses).toEqual({});
  });

  it("completes the extraction if the client does not wait", async () => {
    const fileId = await inlineFile("a");
    const leaving = new AbortController();
    const extract = extractor.extract.bind(extractor);
    extractor.extract = (...options) => {
      leaving.abort();
      return extract(...options);
    };
    expect((await failure(start(fileId, {}, leaving.signal))).code).toBe("Canceled");
    const getStatus = async () => {
      const { statuses } = await system.classifier.getExtractionStatuses({ extractionIds: ["ext_1"] });
      return statuses["ext_1"];
    };
    await expect.poll(getStatus).toBe(ExtractionStatus.COMPLETED);
  });

  it("shows an extraction that is being attempted once it is stored", async () => {
    const source = await system.upload(caller, projects.payables, "a.txt", utf8("a"));
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const extract = extractor.extract.bind(extractor);
    extractor.extract = async (...options) => {
      begun.resolve();
      await released.promise;
      return extract(...options);
    };
    const started = start(source.id, { fileId: "fil_copy", projectId: projects.legal });
    await begun.promise;
    const shown = system.gateway.getExtraction({ extractionId: "ext_1" }, as(everywhere));
    const again = start(source.id, { fileId: "fil_copy", projectId: projects.legal });
    expect((await shown).id).toBe("ext_1");
    released.resolve();
    expect([(await started).id, (await again).id, extractor.count]).toEqual(["ext_1", "ext_1", 1]);
    // The copy and its extraction were created at the same time.
    const copy = await system.gateway.getFile({ fileId: "fil_copy" }, as(everywhere));
    expect(copy.createdAt).toEqual((await shown).createdAt);
  });

  it("fails the extraction of a document that cannot be read", async () => {
    const response = await readInline("a.pdf", utf8("%PDF-1.4\n%%EOF"));
    const extraction = await start(response.file?.id ?? "");
    expect(extraction).toMatchObject({ status: ExtractionStatus.FAILED, error: { code: "UNREADABLE_FILE" } });
    expect(extraction.completedAt).toBeDefined();
    expect(await system.classifier.getExtractionStatuses({ extractionIds: ["ext_1", "ext_none"] })).toMatchObject({
      statuses: { ext_1: ExtractionStatus.FAILED },
    });
  });
});

describe("files without a project", () => {
  it("are removed with their bytes and texts after the retention period, unless other files share these", async () => {
    await system.close();
    const settings = { cleanupIntervalMs: 20, retentionMs: 30 * day };
    system = await createSystem(surroundings, { extractor, now: () => time, settings });
    const count = (name: string) => system.storage.connection.collection(name).countDocuments({});
    // The texts of shorter documents are not stored.
    const long = (text: string) => text.padEnd(20_000, ".");
    const loose = await inlineFile(long("left alone"));
    const adopted = await inlineFile(long("adopted"));
    const shared = await inlineFile(long("shared"));
    await system.classifier.adoptFile({ fileId: adopted, projectId: projects.payables });
    const copy = await system.upload(caller, projects.payables, "a.txt", utf8(long("shared")));
    expect([await count("files"), await count("blobs"), await count("texts")]).toEqual([4, 3, 3]);
    time += 31 * day;
    system.service.start();
    const isRemoved = async (): Promise<boolean> => {
      // Bytes are removed once every transaction that might refer to them has ended.
      time += minute;
      return (await count("files")) === 2 && (await count("blobs")) === 2;
    };
    await vi.waitUntil(isRemoved, { timeout: 60_000 });
    expect(await count("texts")).toBe(2);
    expect(await count("chunks")).toBe(2);
    for (const fileId of [adopted, copy.id]) await system.gateway.getFileText({ fileId }, as(caller));
    expect(await failure(start(loose))).toMatchObject({ code: "NotFound" });
    expect(await failure(start(shared))).toMatchObject({ code: "NotFound" });
  });
});

describe("stored texts", () => {
  it("are read again if they are missing", async () => {
    const file = await system.upload(caller, projects.payables, "a.txt", utf8("again"));
    await system.storage.connection.collection("texts").deleteMany({});
    const again = await system.gateway.getFileText({ fileId: file.id }, as(caller));
    expect([again.pages[0]?.text, system.read.length]).toEqual(["again\n", 1]);
    // By then, the text is no longer in memory.
    time += minute;
    const text = await system.gateway.getFileText({ fileId: file.id }, as(caller));
    expect(text.pages[0]?.text).toBe("again\n");
    expect(system.read).toEqual(["a.txt", "a.txt"]);
  });
});
