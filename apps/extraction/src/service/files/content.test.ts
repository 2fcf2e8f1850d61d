import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getProblemFacts } from "@switchyard/rpc";
import { eventually } from "@switchyard/storage/testing";
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
import type { System } from "../../testing/system.ts";

const minute = 60_000;
const surroundings = useSurroundings();
let system: System;
let time: number;
const caller = callerWith([projects.payables]);
const damaged = { code: "DataLoss", reason: "FILE_CONTENT_DAMAGED" };

beforeEach(async () => {
  time = Date.now();
  system = await createSystem(surroundings, { now: () => time, settings: { cleanupIntervalMs: 20 } });
});
afterEach(() => system.close());

const collection = (name: string) => system.storage.connection.collection<{ _id: string; data: any }>(name);
const count = (name: string) => collection(name).countDocuments({});
const upload = (name: string, bytes: Uint8Array) => system.upload(caller, projects.payables, name, bytes);

async function download(fileId: string): Promise<{ pieces: Uint8Array[]; error: unknown }> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const { data } of system.gateway.getFileContent({ fileId }, as(caller)))
      if (data.length > 0) pieces.push(data);
    return { pieces, error: undefined };
  } catch (error) {
    return { pieces, error };
  }
}

async function lastChunk() {
  return (await collection("chunks").find({}).sort({ _id: -1 }).limit(1).toArray())[0];
}

/** Changes one bit of the last stored chunk. */
async function damage(): Promise<void> {
  const chunk = await lastChunk();
  const bytes = Buffer.from(chunk?.data.buffer);
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  await collection("chunks").updateOne({ _id: chunk?._id ?? "" }, { $set: { data: bytes } });
}

/** Changes one bit of bytes that are stored without chunks. */
async function damageInline(): Promise<void> {
  const blob = await collection("blobs").findOne({});
  const bytes = Buffer.from((blob as any)?.bytes.buffer);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  await collection("blobs").updateOne({ _id: blob?._id ?? "" }, { $set: { bytes } });
}

describe("the content of a file", () => {
  it.each([
    ["without chunks", 2_000, damageInline],
    ["of one chunk", 20_000, damage],
    ["of several chunks", 2_500_000, damage],
    [
      "without its last chunk",
      2_500_000,
      async () => void (await collection("chunks").deleteOne({ _id: (await lastChunk())?._id ?? "" })),
    ],
  ])("causes an error with the file's ID before the first byte if it is damaged: %s", async (_, size, damage) => {
    const file = await upload("a.bin", new Uint8Array(size).fill(7));
    expect(Buffer.concat((await download(file.id)).pieces)).toHaveLength(size);
    await damage();
    const { pieces, error } = await download(file.id);
    expect(pieces).toEqual([]);
    expect(getProblemFacts(error)).toMatchObject({ reason: damaged.reason, metadata: { fileId: file.id } });
    expect(getProblemFacts(error).message).toContain(file.id);
  });

  it("is neither read nor extracted if it is damaged, without a retry", async () => {
    const file = await upload("a.txt", utf8("Total 12.50"));
    await collection("texts").deleteMany({});
    await damageInline();
    // By then, the text is no longer in memory.
    time += minute;
    expect(await failure(system.gateway.getFileText({ fileId: file.id }, as(caller)))).toEqual(damaged);
    const document = { case: "fileId" as const, value: file.id };
    expect(await failure(system.classifier.readDocument({ document }, as(caller)))).toEqual(damaged);
    const extraction = await system.gateway.createExtraction({ targetId: model.id, fileId: file.id }, as(caller));
    expect(extraction).toMatchObject({ status: ExtractionStatus.FAILED, error: { code: damaged.reason } });
    expect(system.read).toEqual(["a.txt"]);
  });

  it("is stored once, even for concurrent uploads, without a second copy of large content", async () => {
    const bytes = new Uint8Array(2_500_000).fill(7);
    const files = await Promise.all(Array.from({ length: 6 }, (_, n) => upload(`${n}.bin`, bytes)));
    const content = { filename: "inline.bin", contentType: "", data: bytes };
    await system.classifier.readDocument({ document: { case: "content", value: content } }, as(caller));
    expect([await count("files"), await count("blobs"), await count("chunks")]).toEqual([7, 1, 3]);
    for (const { id } of files) expect(Buffer.concat((await download(id)).pieces).equals(bytes)).toBe(true);
  });

  it("is not kept after an incomplete upload, even if the process was killed", async () => {
    const bytes = new Uint8Array(2_500_000).fill(7);
    async function* broken(fail: boolean) {
      for await (const part of parts({ projectId: projects.payables, filename: "a.bin" }, bytes)) {
        if (part.last !== true) yield part;
      }
      if (fail) throw new Error("gone");
    }
    for (const fail of [true, false]) {
      expect((await failure(system.gateway.uploadFile(broken(fail), as(caller)))).code).not.toBe("OK");
    }
    await eventually(
      "the removal of the stored bytes",
      async () => (await count("chunks")) + (await count("blobs")) === 0 || undefined,
    );
    // This is what a killed process leaves behind.
    await collection("blobs").insertOne({
      _id: "blb_left",
      complete: false,
      idle: true,
      reviewAt: new Date(time),
    } as any);
    await collection("chunks").insertOne({ _id: "blb_left:000000", sha256: "blb_left", data: Buffer.alloc(9) } as any);
    system.service.start();
    await eventually("the removal of the bytes of the killed process", async () => {
      time += minute;
      return (await count("chunks")) + (await count("blobs")) === 0 || undefined;
    });
  });

  it("is kept for a new file while other files that share it are removed", async () => {
    system.service.start();
    for (let round = 0; round < 5; round += 1) {
      const bytes = utf8(`Shared ${round}`);
      const old = await Promise.all(["a.txt", "b.txt", "c.txt"].map((name) => upload(name, bytes)));
      const [kept] = await Promise.all([
        upload("d.txt", bytes),
        ...old.map(({ id }) => system.gateway.deleteFile({ fileId: id }, as(caller))),
      ]);
      time += minute * 3;
      await eventually("the check of the content", async () =>
        (await collection("blobs").countDocuments({ idle: true } as any)) === 0 ? true : undefined,
      );
      expect(Buffer.concat((await download(kept.id)).pieces).equals(bytes)).toBe(true);
      await system.gateway.deleteFile({ fileId: kept.id }, as(caller));
      await eventually("the removal of the content", async () => {
        time += minute;
        return (await count("blobs")) + (await count("chunks")) + (await count("texts")) === 0 || undefined;
      });
    }
  });
});

describe("the text of a file", () => {
  it("is read and stored again if it is damaged", async () => {
    const line = "Total 12.50\n";
    const file = await upload("a.txt", utf8(line.repeat(2_000)));
    await collection("texts").updateMany({}, { $set: { data: Buffer.from("other") } });
    time += minute;
    const toText = async () =>
      (await system.gateway.getFileText({ fileId: file.id }, as(caller))).pages.map(({ text }) => text);
    for (const pages of [await toText(), await toText()]) expect(pages.join("")).toBe(line.repeat(2_000));
    expect(system.read).toHaveLength(2);
  });
});
