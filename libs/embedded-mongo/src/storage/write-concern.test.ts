import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient, type WriteConcernOptions } from "mongodb";
import { createEmbeddedMongoServer, type EmbeddedMongo } from "../index.ts";

interface Thing {
  _id: string;
}

/** A flush in progress. Nothing is on disk before one of these functions is called. */
interface Flushing {
  done: () => void;
  failed: (error: Error) => void;
}

describe("a write concern", () => {
  let folder: string;
  let server: EmbeddedMongo;
  let client: MongoClient;
  let flushes: Flushing[];
  const majority = { writeConcern: { w: "majority" } } as const;
  const insert = (_id: string, options: WriteConcernOptions): Promise<unknown> =>
    client.db("test").collection<Thing>("things").insertOne({ _id }, options);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "embedded-mongo-"));
    flushes = [];
    const flush = (): Promise<void> =>
      new Promise((done, failed) => {
        flushes.push({ done, failed });
      });
    server = await createEmbeddedMongoServer({ folder }, { flush });
    client = await new MongoClient(server.uri, { maxPoolSize: 20 }).connect();
    await client.db("test").createCollection("things");
  });
  afterEach(async () => {
    await client.close();
    // Closing the server flushes the rest.
    const closed = server.close();
    for (let at = 0; at < 3; at++) {
      flushes.forEach(({ done }) => done());
      await new Promise(setImmediate);
    }
    await closed;
    await rm(folder, { recursive: true });
  });

  /** Waits for the flush with this number. */
  async function flushing(number: number): Promise<Flushing> {
    while (flushes.length < number) await new Promise((resolve) => setTimeout(resolve, 5));
    return flushes[number - 1] as Flushing;
  }
  /** Returns whether a reply has arrived after another client got one. */
  async function isSettled(reply: Promise<unknown>): Promise<boolean> {
    let settled = false;
    const note = (): unknown => (settled = true);
    reply.then(note, note);
    await client.db("test").command({ ping: 1 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    return settled;
  }

  for (const [name, options] of [
    ["of the majority", majority],
    ["with journal", { writeConcern: { w: 1, j: true } }],
  ] as const) {
    it(`${name} is acknowledged after the flush, and others before`, async () => {
      const held = insert("held", options);
      const { done } = await flushing(1);
      await insert("w: 1", { writeConcern: { w: 1 } });
      await insert("none", {});
      await insert("without journal", { writeConcern: { w: "majority", j: false } });
      expect(await client.db("test").collection("things").countDocuments({})).toBe(4);
      expect(await isSettled(held)).toBe(false);
      done();
      await held;
      expect(flushes).toHaveLength(1);
    });
  }

  it("shares one flush with all writes that wait when it starts", async () => {
    const first = insert("first", majority);
    const { done } = await flushing(1);
    const others = Promise.all(Array.from({ length: 8 }, (_, at) => insert(`${at}`, majority)));
    while ((await client.db("test").collection("things").countDocuments({})) < 9);
    expect(await isSettled(others)).toBe(false);
    done();
    await first;
    // These writes arrived after the first flush had started, so it may not include them.
    const second = await flushing(2);
    expect(await isSettled(others)).toBe(false);
    second.done();
    await others;
    expect(flushes).toHaveLength(2);
  });

  it("applies to the commit of a transaction, not to its operations", async () => {
    for (const writeConcern of [{ w: 1 }, { w: "majority" }] as const) {
      const session = client.startSession();
      session.startTransaction({ writeConcern });
      await insert(String(writeConcern.w), { session } as WriteConcernOptions);
      expect(flushes).toHaveLength(0);
      const committed = session.commitTransaction();
      if (writeConcern.w === "majority") {
        const { done } = await flushing(1);
        expect(await isSettled(committed)).toBe(false);
        done();
      }
      await committed;
      await session.endSession();
    }
  });

  it("is rejected after a flush failed, until the disk works again", async () => {
    const held = insert("held", majority);
    (await flushing(1)).failed(new Error("the disk is gone"));
    await expect(held).rejects.toMatchObject({ code: 39, message: expect.stringContaining("the disk is gone") });
    await expect(insert("refused", majority)).rejects.toMatchObject({ code: 39 });
    const session = client.startSession();
    session.startTransaction(majority);
    await insert("refused with its transaction", { session } as WriteConcernOptions);
    await expect(session.commitTransaction()).rejects.toMatchObject({ code: 39 });
    await session.endSession();
    await expect(client.db("test").command({ ping: 1 })).rejects.toMatchObject({ code: 39 });
    // Writes without this concern still succeed.
    await insert("w: 1", {});
    // The server retries on its own, fails once more, and then succeeds.
    (await flushing(2)).failed(new Error("the disk is gone"));
    (await flushing(3)).done();
    const again = vi.waitFor(() => insert("again", majority), 60_000);
    (await flushing(4)).done();
    await again;
    await client.db("test").command({ ping: 1 });
    const there = await client.db("test").collection<Thing>("things").find().sort({ _id: 1 }).toArray();
    expect(there.map(({ _id }) => _id)).toEqual(["again", "held", "w: 1"]);
  });
});

it("flushes nothing for data in memory", async () => {
  let flushes = 0;
  const server = await createEmbeddedMongoServer({ folder: ":memory:" }, { flush: async () => void (flushes += 1) });
  const client = await new MongoClient(server.uri).connect();
  await client
    .db("test")
    .collection("things")
    .insertOne({}, { writeConcern: { w: "majority" } });
  await client.close();
  await server.close();
  expect(flushes).toBe(0);
});
