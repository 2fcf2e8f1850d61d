import { createTestChangeSource } from "@switchyard/change-feed/testing";
import type { TestChangeSource } from "@switchyard/change-feed/testing";
import { eventually } from "@switchyard/storage/testing";
import { as, callerWith, createSystem, failure, model, projects, useSurroundings, utf8 } from "../testing/system.ts";
import type { System } from "../testing/system.ts";

const minute = 60 * 1000;

describe("the contents of a project in the extraction service", () => {
  const surroundings = useSurroundings();
  let changes: TestChangeSource;
  let system: System;
  let time: number;
  const caller = callerWith([projects.payables, projects.legal]);

  beforeEach(async () => {
    time = Date.now();
    changes = createTestChangeSource();
    system = await createSystem(surroundings, { changes, now: () => time, settings: { cleanupIntervalMs: 20 } });
    system.service.start();
  });
  afterEach(() => system.close());

  const count = (collection: string, filter: object = {}) =>
    system.storage.connection.collection(collection).countDocuments(filter);
  const upload = (projectId: string, name: string, text = name) =>
    system.upload(caller, projectId, name, utf8(text), "text/plain");
  /** Bytes are removed once every transaction that might refer to them has ended. */
  async function blobsLeft(wanted: number): Promise<true | undefined> {
    time += minute;
    return (await count("blobs")) === wanted ? true : undefined;
  }
  async function deletePayables(): Promise<void> {
    changes.deleteProject(projects.payables);
    await eventually("the removal", async () =>
      (await count("files", { projectId: projects.payables })) === 0 &&
      (await count("extractions", { projectId: projects.payables })) === 0 &&
      (await count("deleted_projects")) === 1
        ? true
        : undefined,
    );
  }

  it("are removed with the project: files with their bytes and texts, and extractions, but not what another project shares", async () => {
    // The texts of shorter documents are not stored.
    const long = (text: string) => text.padEnd(20_000, ".");
    await upload(projects.payables, "own.txt", long("own"));
    const shared = await upload(projects.payables, "shared.txt", long("shared"));
    const file = await upload(projects.payables, "extracted.txt", long("extracted"));
    await system.gateway.createExtraction({ targetId: model.id, fileId: file.id }, as(caller));
    const kept = await upload(projects.legal, "also-shared.txt", long("shared"));
    expect(kept.sha256).toBe(shared.sha256);
    expect([await count("files"), await count("blobs"), await count("extractions")]).toEqual([4, 3, 1]);
    await deletePayables();
    await eventually("the removal of the bytes", () => blobsLeft(1));
    expect(await count("files")).toBe(1);
    expect(await count("texts")).toBe(1);
    expect(await count("chunks", { sha256: { $ne: kept.sha256 } })).toBe(0);
    const pieces = [];
    for await (const { data } of system.gateway.getFileContent({ fileId: kept.id }, as(caller))) pieces.push(data);
    expect(Buffer.concat(pieces).toString()).toBe(long("shared"));
  });

  it("are removed with the project, however many there are", async () => {
    for (let index = 0; index < 130; index += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, more) => upload(projects.payables, `${index + more}.txt`)));
    }
    await deletePayables();
    await eventually("the removal of the bytes", () => blobsLeft(0));
  });

  it("cannot be written after the project was deleted", async () => {
    const elsewhere = await upload(projects.legal, "legal.txt");
    const { file: loose } = await system.classifier.readDocument(
      { document: { case: "content", value: { filename: "loose.txt", contentType: "", data: utf8("loose") } } },
      as(caller),
    );
    const file = await upload(projects.payables, "own.txt");
    await deletePayables();
    const notFound = { code: "NotFound", reason: "PROJECT_NOT_FOUND" };
    expect(await failure(upload(projects.payables, "late.txt"))).toEqual(notFound);
    const fileId = loose?.id ?? "";
    expect(await failure(system.classifier.adoptFile({ fileId, projectId: projects.payables }, as(caller)))).toEqual(
      notFound,
    );
    const routed = { extractionId: "ext_1", projectId: projects.payables, modelId: model.id, schemaId: model.schemaId };
    for (const document of [
      { sourceFileId: fileId, fileId },
      { sourceFileId: elsewhere.id, fileId: "fil_copy" },
    ]) {
      for (const extract of [true, false]) {
        const start = system.classifier.startRoutedExtraction({ ...routed, ...document, extract }, as(caller));
        expect(await failure(start)).toEqual(notFound);
      }
    }
    const extraction = system.gateway.createExtraction({ targetId: model.id, fileId: file.id }, as(caller));
    expect((await failure(extraction)).code).toBe("NotFound");
    expect([await count("files", { projectId: projects.payables }), await count("extractions")]).toEqual([0, 0]);
    expect((await system.gateway.getFile({ fileId: elsewhere.id }, as(caller))).id).toBe(elsewhere.id);
  });
});
