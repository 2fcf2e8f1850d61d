import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { connectForTransfer, createServerSource, openArchive, writeArchive } from "./index.ts";

const { Binary } = mongoose.mongo;

(process.platform === "linux" ? it : it.skip)("an archive where no folder can be created is refused", async () => {
  const nothing = { name: "nothing", collections: [], documents: () => [] as never };
  await expect(writeArchive(nothing, "/proc/archive", () => undefined)).rejects.toThrow("no folder can be created");
});

it("an export that fails leaves nothing behind", async () => {
  const above = await mkdtemp(join(tmpdir(), "switchyard-archive-"));
  const collection = { database: "switchyard_one", name: "many", options: {}, indexes: [] };
  async function* documents(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(2 * 1024 * 1024);
    throw new Error("the disk is full");
  }
  const source = { name: "the store", collections: [collection], documents };
  await expect(writeArchive(source, join(above, "archive"), () => undefined)).rejects.toThrow("the disk is full");
  expect(await readdir(above)).toEqual([]);
  await rm(above, { recursive: true });
});

describe("a damaged archive", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-archive-"));
    const store = await startEmbeddedMongo({ folder: ":memory:" });
    const client = await connectForTransfer(store.uri);
    const collection = client.db("switchyard_one").collection<{ _id: string; bytes: mongoose.mongo.Binary }>("many");
    await collection.insertMany(
      Array.from({ length: 1_000 }, (_, n) => ({ _id: `n${n}`, bytes: new Binary(Buffer.alloc(4_000, n)) })),
    );
    await writeArchive(await createServerSource(client, "the store"), join(folder, "archive"), () => undefined);
    await client.close();
    await store.close();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const damaged = async (change: (copy: string) => Promise<void>): Promise<string> => {
    const copy = await mkdtemp(join(folder, "copy-"));
    await cp(join(folder, "archive"), copy, { recursive: true });
    await change(copy);
    return copy;
  };
  const manifest = async (copy: string, change: (text: string) => string): Promise<void> => {
    const path = join(copy, "manifest.json");
    await writeFile(path, change(await readFile(path, "utf8")));
  };
  const many = "switchyard_one.many.bson";

  it.each([
    ["truncated", async (copy: string) => truncate(join(copy, many), 1_000_000), `${many} is damaged: it ends within`],
    ["shorter", async (copy: string) => truncate(join(copy, many), 0), `${many} is damaged: its 0 documents`],
    [
      "of another format",
      async (copy: string) => writeFile(join(copy, many), "hello, world"),
      `${many} is damaged: it has a document of`,
    ],
    ["missing", async (copy: string) => rm(join(copy, many)), many],
  ])("is reported for a file that is %s", async (_name, change, message) => {
    const opened = await openArchive(await damaged(change));
    await expect(opened.verify()).rejects.toThrow(message);
  });

  it("is reported for a single changed byte", async () => {
    const copy = await damaged(async (path) => {
      const bytes = await readFile(join(path, many));
      bytes[bytes.length - 100] = 99;
      await writeFile(join(path, many), bytes);
    });
    await expect((await openArchive(copy)).verify()).rejects.toThrow(`${many} is damaged`);
  });

  it.each([
    ["not JSON", (text: string) => text.slice(0, 100), "manifest.json is not JSON"],
    ["of another format", () => "{}", "another format"],
    ["of a later version", (text: string) => text.replace('"version": 1', '"version": 2'), "version 2"],
    [
      "without a path of its files inside the archive",
      (text: string) => text.replace(`"${many}"`, '"../many.bson"'),
      "does not describe",
    ],
  ])("is reported for a manifest that is %s", async (_name, change, message) => {
    const copy = await damaged((path) => manifest(path, change));
    await expect(openArchive(copy)).rejects.toThrow(message);
  });

  it("is reported for a folder without a manifest", async () => {
    await expect(openArchive(join(folder, "nothing"))).rejects.toThrow("nothing is not an archive");
  });
});
