import { channel } from "node:diagnostics_channel";
import type { Connection } from "mongoose";
import { connectStorage } from "../connection/connection.ts";
import type { Storage } from "../connection/connection.ts";
import { sentCommands } from "../connection/sent-commands.ts";
import type { SentCommand } from "../connection/sent-commands.ts";
import { startTestDatabase } from "../testing/database.ts";
import type { TestDatabase } from "../testing/database.ts";
import { createVersionedCache } from "./versioned-cache.ts";

interface Counted {
  readonly _id: string;
  readonly count: number;
}

describe("a cache of documents that several processes share", () => {
  let database: TestDatabase;
  let replicas: Storage[];
  beforeAll(async () => {
    database = await startTestDatabase();
    replicas = await Promise.all(
      ["one", "other"].map(() => connectStorage({ uri: database.uri, database: "versioned" })),
    );
  });
  afterAll(async () => {
    await Promise.all(replicas.map((storage) => storage.close()));
    await database.close();
  });

  /** A replica with its cache, which counts how often it loads the document. */
  function createReplica(connection: Connection, id: string, options = {}) {
    const cache = createVersionedCache(connection, id, options);
    const documents = connection.collection<Counted>("counted");
    let loads = 0;
    return {
      async read(): Promise<number> {
        const found = await cache.find("counted", [id], async () => {
          loads += 1;
          return documents.find({ _id: id }).toArray();
        });
        return found[0]?.count ?? 0;
      },
      async write(): Promise<void> {
        await documents.updateOne({ _id: id }, { $inc: { count: 1 } }, { upsert: true });
        await cache.clear();
      },
      writeUnnoticed: () => documents.updateOne({ _id: id }, { $inc: { count: 1 } }),
      get loads() {
        return loads;
      },
    };
  }

  it("is read again by every process after each write", async () => {
    const [one, other] = replicas.map(({ connection }) => createReplica(connection, "in turns"));
    if (one === undefined || other === undefined) throw new Error("missing");
    for (let count = 1; count <= 20; count += 1) {
      await (count % 2 === 0 ? one : other).write();
      expect([await one.read(), await other.read()]).toEqual([count, count]);
      expect([await one.read(), await other.read()]).toEqual([count, count]);
    }
    expect([one.loads, other.loads]).toEqual([20, 20]);
  });

  it("never returns a state from before a write that ended before the request", async () => {
    const both = replicas.map(({ connection }) => createReplica(connection, "at once"));
    let written = 0;
    const write = async (): Promise<void> => {
      for (let n = 0; n < 60; n += 1) {
        await both[n % 2]?.write();
        written += 1;
      }
    };
    let reads = 0;
    const writing = write();
    let isWriting = true;
    void writing.finally(() => (isWriting = false));
    const read = async (index: number): Promise<void> => {
      while (isWriting) {
        const before = written;
        expect(await both[index % 2]?.read()).toBeGreaterThanOrEqual(before);
        reads += 1;
      }
    };
    await Promise.all([writing, ...Array.from({ length: 8 }, (_, index) => read(index))]);
    expect(reads).toBeGreaterThan(60);
  });

  it("is read again after some time, for writes that no process reported", async () => {
    let time = 0;
    const { connection } = replicas[0] as Storage;
    const replica = createReplica(connection, "in time", { maxAgeMs: 1_000, now: () => time });
    await replica.write();
    expect(await replica.read()).toBe(1);
    await replica.writeUnnoticed();
    time = 999;
    expect(await replica.read()).toBe(1);
    time = 1_000;
    expect(await replica.read()).toBe(2);
  });

  it("reads the version once for requests that wait at the same time", async () => {
    const { connection } = replicas[0] as Storage;
    const replica = createReplica(connection, "shared");
    await replica.write();
    await replica.read();
    let commands = 0;
    const count = (message: unknown): void => {
      if ((message as SentCommand).databaseName === "versioned") commands += 1;
    };
    channel(sentCommands).subscribe(count);
    await Promise.all(Array.from({ length: 50 }, () => replica.read()));
    channel(sentCommands).unsubscribe(count);
    expect(commands).toBe(1);
  });
});
