import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BSON, Binary, Long, MongoClient, type Document } from "mongodb";
import { createEmbeddedMongoServer } from "../index.ts";
import { message, section } from "../testing/messages.ts";

/** Sends one command without the driver, which would count transactions itself. Returns the reply without its times. */
function ask(port: number | undefined, command: Document): Promise<Document> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port ?? 0, "127.0.0.1", () => socket.end(message(section(command))));
    socket.on("error", reject).on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("close", () => {
      const { $clusterTime, operationTime, ...reply } = BSON.deserialize(Buffer.concat(chunks).subarray(21));
      expect([$clusterTime, operationTime]).toEqual([expect.anything(), expect.anything()]);
      resolve(reply);
    });
  });
}

it("a session gets the first reply to a write that it repeats after a restart", async () => {
  const folder = await mkdtemp(join(tmpdir(), "embedded-mongo-"));
  const updates = [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }];
  const lsid = { id: new Binary(Buffer.alloc(16, 9), 4) };
  const update = { update: "things", updates, lsid, txnNumber: Long.fromNumber(5), $db: "test" };
  const replies: Document[] = [];
  for (let times = 0; times < 2; times++) {
    const server = await createEmbeddedMongoServer({ folder, port: 0 });
    replies.push(await ask(server.port, update));
    replies.push(await ask(server.port, { find: "things", $db: "test" }));
    await server.close();
  }
  await rm(folder, { recursive: true });
  expect(replies[0]).toMatchObject({ ok: 1, upserted: [{ _id: 1 }] });
  expect(replies[1]).toMatchObject({ cursor: { firstBatch: [{ _id: 1, n: 1 }] } });
  expect(replies.slice(2)).toEqual(replies.slice(0, 2));
});

it("a session with more than a thousand cursors loses the least recently used one", async () => {
  const server = await createEmbeddedMongoServer({ folder: ":memory:" });
  const client = await new MongoClient(server.uri).connect();
  const database = client.db("test");
  await database.collection<{ _id: number }>("things").insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  const session = client.startSession();
  const open = async (): Promise<Long> =>
    Long.fromNumber(Number((await database.command({ find: "things", batchSize: 1 }, { session }))["cursor"].id));
  const more = (cursor: Long): Promise<Document> =>
    database.command({ getMore: cursor, collection: "things", batchSize: 1 }, { session });
  const [first, second] = [await open(), await open()];
  for (let at = 2; at < 1000; at++) await open();
  expect(await more(first)).toMatchObject({ cursor: { nextBatch: [{ _id: 2 }] } });
  await open();
  await expect(more(second)).rejects.toMatchObject({ code: 43, codeName: "CursorNotFound" });
  expect(await more(first)).toMatchObject({ cursor: { nextBatch: [{ _id: 3 }] } });
  await session.endSession();
  await client.close();
  await server.close();
});
