import { Code } from "@connectrpc/connect";
import { FileStatus, ReadProblem, WarningCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getProblemFacts } from "@switchyard/rpc";
import { createHash } from "node:crypto";
import {
  as,
  callerWith,
  createSystem,
  failure,
  model,
  parts,
  projects,
  useSurroundings,
  utf8,
} from "../../testing/system.ts";
import type { System, UploadPart } from "../../testing/system.ts";

const surroundings = useSurroundings();
let system: System;
const caller = callerWith([projects.payables]);

beforeEach(async () => {
  system = await createSystem(surroundings, { settings: { maxFileBytes: 3_000_000 } });
});
afterEach(() => system.close());

async function getFiles(projectId: string) {
  return (await system.gateway.listFiles({ projectId }, as(caller))).files;
}

function createUpload(...messages: UploadPart[]) {
  return system.gateway.uploadFile(toStream(messages), as(caller));
}

async function* toStream(messages: UploadPart[]) {
  yield* messages;
}

async function expectNothingStored() {
  expect(await getFiles(projects.payables)).toEqual([]);
  expect(system.read).toEqual([]);
  expect(await system.storage.connection.collection("blobs").countDocuments()).toBe(0);
}

describe("uploadFile", () => {
  it("stores and reads a text", async () => {
    const bytes = utf8("Invoice 17\nTotal 12.50\n");
    const file = await system.upload(caller, projects.payables, "note.txt", bytes, "text/plain");
    expect(file).toMatchObject({
      projectId: projects.payables,
      filename: "note.txt",
      size: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      pageCount: 1,
      status: FileStatus.READ,
      accepted: false,
      createdBy: "usr_1",
    });
    expect(file.contentType).toMatch(/^text\/plain/);
    expect(file.reason).toBeUndefined();
    expect(await system.gateway.getFile({ fileId: file.id }, as(caller))).toEqual(file);
  });

  it("warns that only the first pages were read, in the file and in its extractions", async () => {
    const warnings = [{ code: WarningCode.PAGES_LEFT_OUT, message: "Only the first 200 pages were read." }];
    const pages = utf8(Array.from({ length: 619 }, (_, index) => `Page ${index} Total 12.50`).join("\f"));
    const file = await system.upload(caller, projects.payables, "long.txt", pages, "text/plain");
    expect(file).toMatchObject({ pageCount: 200, status: FileStatus.READ, warnings });
    expect(await system.gateway.getFile({ fileId: file.id }, as(caller))).toMatchObject({ warnings });
    const extraction = await system.gateway.createExtraction({ targetId: model.id, fileId: file.id }, as(caller));
    expect(extraction).toMatchObject({ warnings });
    const listed = await system.gateway.listExtractions({ projectId: projects.payables }, as(caller));
    expect(listed.extractions).toMatchObject([{ warnings }]);
    const other = await system.upload(caller, projects.payables, "short.txt", utf8("Total 12.50"), "text/plain");
    expect(other.warnings).toEqual([]);
  });

  it("keeps the bytes unchanged, for any number of chunks", async () => {
    const bytes = new Uint8Array(2_500_000).map((_, index) => (index * 31) % 251);
    const file = await system.upload(caller, projects.payables, "über/1.bin", bytes);
    const pieces: Uint8Array[] = [];
    let name: string | null = null;
    const content = system.gateway.getFileContent(
      { fileId: file.id },
      { ...as(caller), onHeader: (header) => (name = header.get("x-file-name")) },
    );
    for await (const { data, contentType } of content) {
      expect(contentType).toBe(file.contentType);
      expect(data.length).toBeLessThanOrEqual(1024 * 1024);
      pieces.push(data);
    }
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(name).toBe(encodeURIComponent("über_1.bin"));
    expect(file.status).toBe(FileStatus.UNREADABLE);
    expect(file.reason?.code).toBe(ReadProblem.UNSUPPORTED_FORMAT);
  });

  it("reads the same bytes once", async () => {
    const bytes = utf8("The same words.");
    const uploads = ["a.txt", "b.txt", "c.txt"].map((name) => system.upload(caller, projects.payables, name, bytes));
    const files = await Promise.all(uploads);
    expect(new Set(files.map((file) => file.id)).size).toBe(3);
    await system.upload(caller, projects.payables, "d.txt", bytes);
    const text = await system.gateway.getFileText({ fileId: files[0]?.id ?? "" }, as(caller));
    expect(text.pages.map((page) => page.text)).toEqual(["The same words.\n"]);
    expect(system.read).toHaveLength(1);
  });

  it("reads bytes of an ambiguous type by the type that each upload declares", async () => {
    const bytes = utf8("<p>Dear <b>reader</b></p>");
    const plain = await system.upload(caller, projects.payables, "a.txt", bytes, "text/plain");
    const html = await system.upload(caller, projects.payables, "a.html", bytes, "text/html");
    const toText = async (fileId: string) =>
      (await system.gateway.getFileText({ fileId }, as(caller))).pages.map((page) => page.text).join("");
    expect(await toText(plain.id)).toContain("<b>");
    expect(await toText(html.id)).not.toContain("<b>");
  });

  it("rejects an empty file, one that is too large, and one without a name", async () => {
    const upload = (filename: string, size: number) =>
      failure(system.upload(caller, projects.payables, filename, new Uint8Array(size).fill(65)));
    expect(await upload("a.txt", 0)).toEqual({ code: "InvalidArgument", reason: "EMPTY_FILE" });
    expect(await upload("a.txt", 3_000_001)).toEqual({ code: "ResourceExhausted", reason: "PAYLOAD_TOO_LARGE" });
    expect(await upload("  ", 1)).toEqual({ code: "InvalidArgument", reason: "INVALID_REQUEST" });
    expect(await upload("a".repeat(256), 1)).toEqual({ code: "InvalidArgument", reason: "INVALID_REQUEST" });
    expect(await getFiles(projects.payables)).toEqual([]);
  });

  it("stores nothing if the caller cancels the call", async () => {
    const abort = new AbortController();
    async function* broken() {
      yield { projectId: projects.payables, filename: "a.txt" };
      yield { data: utf8("The beginning") };
      abort.abort();
      yield { last: true };
    }
    const call = system.gateway.uploadFile(broken(), { ...as(caller), signal: abort.signal });
    expect(await failure(call)).toMatchObject({ code: "Canceled" });
    await expectNothingStored();
  });

  it("stores nothing of a stream that ends without its last message", async () => {
    const head = { projectId: projects.payables, filename: "a.txt" };
    const data = utf8("The beginning");
    const incomplete = { code: "InvalidArgument", reason: "UPLOAD_INCOMPLETE" };
    expect(await failure(createUpload(head))).toEqual(incomplete);
    expect(await failure(createUpload({ ...head, data }))).toEqual(incomplete);
    const call = createUpload(head, { data }, { data });
    expect(await failure(call)).toEqual(incomplete);
    const { violations } = getProblemFacts(await call.catch((error: unknown) => error));
    expect(violations.map(({ field }) => field)).toEqual(["data"]);
    await expectNothingStored();
  });

  it("refuses a later message that describes another file, and stores nothing", async () => {
    const head = { projectId: projects.payables, filename: "a.txt", contentType: "text/plain" };
    const data = utf8("All");
    for (const field of ["projectId", "filename", "contentType"] as const) {
      const call = createUpload({ ...head, data }, { [field]: "another", data, last: true });
      const { code, violations } = getProblemFacts(await call.catch((error: unknown) => error));
      expect([code, violations.map((violation) => violation.field)]).toEqual([Code.InvalidArgument, [field]]);
    }
    await expectNothingStored();
    expect((await createUpload({ ...head, data }, { ...head, data, last: true })).size).toBe(6);
  });

  it("accepts a last message with or without bytes, and no message after it", async () => {
    const head = { projectId: projects.payables, filename: "a.txt" };
    const data = utf8("All");
    expect((await createUpload({ ...head, data, last: true })).size).toBe(3);
    expect((await createUpload(head, { data, last: true })).size).toBe(3);
    expect((await createUpload(head, { data }, { last: true })).size).toBe(3);
    const before = await getFiles(projects.payables);
    expect(await failure(createUpload(head, { data, last: true }, { data }))).toEqual({
      code: "InvalidArgument",
      reason: "INVALID_REQUEST",
    });
    expect(await getFiles(projects.payables)).toEqual(before);
  });

  it("checks the project before it receives the bytes", async () => {
    let taken = 0;
    async function* counted(projectId: string) {
      for await (const part of parts({ projectId, filename: "a.txt" }, new Uint8Array(1_000_000).fill(65))) {
        taken += 1;
        yield part;
      }
    }
    const upload = (projectId: string) => failure(system.gateway.uploadFile(counted(projectId), as(caller)));
    expect(await upload(projects.legal)).toEqual({ code: "PermissionDenied", reason: "PROJECT_OUT_OF_REACH" });
    expect(await upload(projects.foreign)).toEqual({ code: "NotFound", reason: "PROJECT_NOT_FOUND" });
    expect(await upload("prj_nowhere")).toEqual({ code: "NotFound", reason: "PROJECT_NOT_FOUND" });
    expect(await upload("")).toEqual({ code: "InvalidArgument", reason: "INVALID_REQUEST" });
    expect(taken).toBeLessThan(20);
  });

  it("accepts a damaged PDF as an unreadable file", async () => {
    const file = await system.upload(caller, projects.payables, "a.pdf", utf8("%PDF-1.7\nnothing more"));
    expect(file).toMatchObject({ contentType: "application/pdf", status: FileStatus.UNREADABLE, pageCount: 0 });
    expect(file.reason?.code).toBe(ReadProblem.UNREADABLE_FILE);
    expect(file.reason?.message).not.toBe("");
  });
});

describe("listFiles", () => {
  it("returns pages, newest first", async () => {
    const names = ["1", "2", "3", "4", "5"];
    for (const name of names) await system.upload(caller, projects.payables, name, utf8(name));
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await system.gateway.listFiles({ projectId: projects.payables, limit: 2, pageToken }, as(caller));
      seen.push(...page.files.map((file) => file.filename));
      pageToken = page.nextPageToken ?? "";
    } while (pageToken !== "");
    expect(seen).toEqual(names.toReversed());
  });

  it("rejects an invalid limit, and a page token of another query", async () => {
    const both = callerWith([projects.payables, projects.legal]);
    for (const name of ["1", "2"]) await system.upload(both, projects.payables, name, utf8(name));
    const list = (projectId: string, limit: number, pageToken = "") =>
      system.gateway.listFiles({ projectId, limit, pageToken }, as(both));
    expect(await failure(list(projects.payables, 0))).toMatchObject({ code: "InvalidArgument" });
    expect(await failure(list(projects.payables, 501))).toMatchObject({ code: "InvalidArgument" });
    const { nextPageToken } = await list(projects.payables, 1);
    expect(await failure(list(projects.legal, 1, nextPageToken))).toMatchObject({ code: "InvalidArgument" });
    expect((await list(projects.payables, 7, nextPageToken)).files).toHaveLength(1);
  });
});

describe("access to a file", () => {
  it("is denied as not found in other organizations and without a project, and as out of reach in other projects", async () => {
    const owned = await system.upload(caller, projects.payables, "a.txt", utf8("a"));
    const loose = await system.classifier.readDocument(
      { document: { case: "content", value: { filename: "b.txt", data: utf8("b") } } },
      as(caller),
    );
    const foreigner = callerWith([projects.foreign], { organizationId: "org_2" });
    const outsider = callerWith([projects.legal]);
    const calls = (fileId: string, by: typeof caller) =>
      Promise.all([
        failure(system.gateway.getFile({ fileId }, as(by))),
        failure(system.gateway.getFileText({ fileId }, as(by))),
        failure(drain(system.gateway.getFileContent({ fileId }, as(by)))),
        failure(system.classifier.readDocument({ document: { case: "fileId", value: fileId } }, as(by))),
      ]);
    const all = (code: string, reason: string) => Array(4).fill({ code, reason });
    expect(await calls(owned.id, caller)).toEqual(all("OK", ""));
    expect(await calls(owned.id, outsider)).toEqual(all("PermissionDenied", "PROJECT_OUT_OF_REACH"));
    expect(await calls(owned.id, foreigner)).toEqual(all("NotFound", "FILE_NOT_FOUND"));
    expect(await calls("fil_nowhere", caller)).toEqual(all("NotFound", "FILE_NOT_FOUND"));
    expect(await calls(loose.file?.id ?? "", caller)).toEqual(all("NotFound", "FILE_NOT_FOUND"));
    expect(await failure(system.gateway.listFiles({ projectId: projects.payables }, as(outsider)))).toEqual({
      code: "PermissionDenied",
      reason: "PROJECT_OUT_OF_REACH",
    });
  });
});

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}
