import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Binary, Double, Long, MongoClient } from "mongodb";
import { createEmbeddedMongoServer, startEmbeddedMongo } from "../index.ts";
import { startServeProcess } from "../testing/serve-process.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "embedded-mongo-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it("keeps documents, types and indexes after a restart", async () => {
  const bytes = Buffer.from([1, 2, 255]);
  for (const first of [true, false]) {
    const server = await startEmbeddedMongo({ folder });
    const client = await new MongoClient(server.uri, { promoteValues: false }).connect();
    const things = client.db("test").collection("things");
    if (first) {
      await things.createIndex({ k: 1 }, { unique: true });
      const long = Long.fromNumber(3);
      await things.insertOne({ k: "a", whole: new Double(2), long, bytes: new Binary(bytes), n: 0 });
      await things.updateOne({ k: "a" }, { $inc: { n: 1 } });
    }
    const found = await things.findOne({ k: "a" });
    expect([found?.["whole"]._bsontype, found?.["long"]._bsontype]).toEqual(["Double", "Long"]);
    expect(Buffer.from((found?.["bytes"] as Binary).value())).toEqual(bytes);
    await expect(things.insertOne({ k: "a" })).rejects.toThrow("E11000");
    await client.close();
    await server.close();
  }
});

it("can be used by one server at a time, and by another after it is closed", async () => {
  const server = await startEmbeddedMongo({ folder });
  await expect(startEmbeddedMongo({ folder })).rejects.toThrow(folder);
  await expect(createEmbeddedMongoServer({ folder })).rejects.toThrow(/in use by another embedded server/);
  await server.close();
  await (await startEmbeddedMongo({ folder })).close();
});

it("can be used by one process at a time, and by another after it is killed", async () => {
  // If two processes start and create the folder at the same time, one of them serves.
  const begun = await Promise.allSettled([startServeProcess(folder), startServeProcess(folder)]);
  const serving = begun.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const refusals = begun.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
  try {
    expect([serving.length, refusals.length]).toEqual([1, 1]);
    expect(refusals[0]).toContain(`the data folder ${join(folder, "store")} is in use by another embedded server`);
    await expect(startEmbeddedMongo({ folder: join(folder, "store") })).rejects.toThrow(/in use by another/);
  } finally {
    for (const each of serving) await each.kill();
  }
  await (await startEmbeddedMongo({ folder: join(folder, "store") })).close();
});

describe("a damaged or foreign data file", () => {
  let samples: string;
  const file = (): string => join(folder, "embedded-mongo.sqlite");
  beforeAll(async () => {
    samples = mkdtempSync(join(tmpdir(), "embedded-mongo-samples-"));
    const served = await startServeProcess(samples);
    const client = await new MongoClient(served.uri).connect();
    await client
      .db("test")
      .collection("things")
      .insertMany(Array.from({ length: 500 }, (_, n) => ({ n, text: "x".repeat(200) })));
    await client.close();
    await served.kill();
    cpSync(join(samples, "store"), join(samples, "closed"), { recursive: true });
    await (await startEmbeddedMongo({ folder: join(samples, "closed") })).close();
  });
  afterAll(() => {
    rmSync(samples, { recursive: true });
  });

  function overwrite(path: string, at: number, bytes: Uint8Array): void {
    const descriptor = openSync(path, "r+");
    writeSync(descriptor, bytes, 0, bytes.length, at);
    closeSync(descriptor);
  }
  function getHash(path: string): string {
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
    return isFile ? createHash("sha256").update(readFileSync(path)).digest("hex") : "no file";
  }
  function sql(path: string, statements: string): void {
    const database = new DatabaseSync(path);
    database.exec(statements);
    database.close();
  }

  const closed: [string, RegExp, () => void][] = [
    ["a newer version", /format version 2/, () => sql(file(), "PRAGMA user_version = 2")],
    ["an unknown version", /format version 0/, () => sql(file(), "PRAGMA user_version = 0")],
    [
      "a database of another program",
      /another program/,
      () => {
        rmSync(file());
        sql(file(), "CREATE TABLE things (a)");
      },
    ],
    [
      "a text file",
      /not an SQLite database/,
      () => writeFileSync(file(), "these are not the bytes you are looking for".repeat(99)),
    ],
    ["an empty file", /is empty/, () => truncateSync(file(), 0)],
    [
      "a folder",
      /cannot be used/,
      () => {
        rmSync(file());
        mkdirSync(file());
      },
    ],
    ["an incomplete file", /malformed/, async () => truncateSync(file(), Math.floor(statSync(file()).size / 2))],
    ["the first bytes of the file", /malformed/, () => truncateSync(file(), 60)],
    ["a file without its header", /lost its header/, () => overwrite(file(), 0, new Uint8Array(100))],
    ["a file with garbage in a page", /damaged/, () => overwrite(file(), 4096 * 10, randomBytes(4096))],
    ["a file with a page of zeros", /damaged/, () => overwrite(file(), 4096 * 12, new Uint8Array(4096))],
    ["a file without its catalog", /no such table: collections/, () => sql(file(), "DROP TABLE collections")],
    ["a file without its documents", /documents_1 is missing/, () => sql(file(), "DROP TABLE documents_1")],
    ["a file without an index", /keys_1 is missing/, () => sql(file(), "DROP TABLE keys_1")],
    ["a file without sessions", /sessions is missing/, () => sql(file(), "DROP TABLE sessions")],
  ];
  const killed: typeof closed = [
    ["a log without its data file", /is missing, but its log/, () => rmSync(file())],
    ["a log with an empty data file", /is empty/, () => truncateSync(file(), 0)],
    ["a log without its header", /wal lost its header/, () => overwrite(`${file()}-wal`, 0, randomBytes(32))],
    ["a log with a damaged header", /wal lost its header/, () => overwrite(`${file()}-wal`, 17, randomBytes(3))],
    [
      "a log with a data file of another program",
      /another program/,
      () => {
        rmSync(file());
        rmSync(`${file()}-wal`);
        sql(file(), "CREATE TABLE things (a)");
      },
    ],
  ];
  for (const [from, cases] of [
    ["closed", closed],
    ["store", killed],
  ] as const) {
    for (const [what, message, damage] of cases) {
      it(`is rejected and not changed: ${what}`, async () => {
        cpSync(join(samples, from), folder, { recursive: true });
        damage();
        const hash = getHash(file());
        const refusal = await createEmbeddedMongoServer({ folder }).then(
          () => "nothing was rejected",
          (error: Error) => error.message,
        );
        expect(refusal).toContain(file());
        expect(refusal).toMatch(message);
        expect(getHash(file())).toBe(hash);
      });
    }
  }

  it("is also rejected in a worker and in a process", async () => {
    mkdirSync(join(folder, "store"));
    writeFileSync(join(folder, "store", "embedded-mongo.sqlite"), "no");
    await expect(startEmbeddedMongo({ folder: join(folder, "store") })).rejects.toThrow(/not an SQLite database/);
    await expect(startServeProcess(folder)).rejects.toThrow(/not an SQLite database/);
  });

  it("does not include the files of a killed server", async () => {
    cpSync(join(samples, "store"), folder, { recursive: true });
    // An incomplete record at the end of the log was never acknowledged, so it is not damage.
    const { size } = statSync(`${file()}-wal`);
    overwrite(`${file()}-wal`, size, randomBytes(3000));
    const server = await startEmbeddedMongo({ folder });
    const client = await new MongoClient(server.uri).connect();
    expect(await client.db("test").collection("things").countDocuments({})).toBe(500);
    await client.close();
    await server.close();
  });
});
