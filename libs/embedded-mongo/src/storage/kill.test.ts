import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient, type ClientSession, type Collection } from "mongodb";
import { Engine } from "../engine.ts";
import { createEmbeddedMongoServer } from "../index.ts";
import { checkIndexes } from "../testing/check-indexes.ts";
import { createRandom } from "../testing/random.ts";
import { startServeProcess, type ServeProcess } from "../testing/serve-process.ts";

const runs = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 100 : 3;
/** The seed is in the name of the test. Set `SWITCHYARD_TEST_SEED` to repeat a run. */
const seed = Number(process.env["SWITCHYARD_TEST_SEED"] ?? randomInt(2 ** 31));
const writers = 8;

interface Thing {
  _id: string;
  key?: string;
  n?: number;
  tags?: string[];
  items?: string[];
}

/** The acknowledged writes of one writer, and the one that it was waiting for when the server was killed. */
interface Progress {
  inserted: string[];
  pushed: string[];
  upserted: string[];
  moved: string[];
  increments: number;
  waiting: "insert" | "increment" | "push" | "upsert" | "move" | undefined;
}

/** Connects one of the writers. Every second one also requires that its writes survive a power failure. */
async function connect(uri: string, writer: number): Promise<MongoClient> {
  const writeConcern = { w: writer % 2 === 0 ? 1 : ("majority" as const) };
  for (let attempt = 1; ; attempt++) {
    // A writer looks for the killed server for this long. A busy machine may need more time to connect.
    const client = new MongoClient(uri, { writeConcern, serverSelectionTimeoutMS: 400 });
    try {
      return await client.connect();
    } catch (error) {
      if (attempt === 50) throw error;
    }
  }
}

/** Ends a run after a number of acknowledgements. After that, errors of writers are expected. */
interface End {
  acknowledge: () => void;
  isOver: () => boolean;
}

/** Writes until the server is killed. */
async function write(client: MongoClient, run: number, writer: number, end: End): Promise<Progress> {
  const random = createRandom(seed + run * writers + writer);
  const things = client.db("test").collection<Thing>("things");
  const progress: Progress = { inserted: [], pushed: [], upserted: [], moved: [], increments: 0, waiting: undefined };
  try {
    for (let at = 0; ; at++) {
      const name = `${run}-${writer}-${at}`;
      const action = (["insert", "increment", "push", "upsert", "move"] as const)[Math.floor(random() * 5)];
      progress.waiting = action;
      switch (action) {
        case "insert":
          await things.insertOne({ _id: name, tags: [`a${at % 7}`, `b${at % 3}`], n: at });
          progress.inserted.push(name);
          break;
        case "increment":
          await things.updateOne({ _id: `counter ${writer}` }, { $inc: { n: 1 } });
          progress.increments += 1;
          break;
        case "push":
          await things.updateOne({ _id: `list ${run}`, items: { $ne: name } }, { $push: { items: name } });
          progress.pushed.push(name);
          break;
        case "upsert": {
          // All writers use the same few keys, so that they race.
          const key = `${run}-${Math.floor(at / 10)}`;
          await things.updateOne({ key }, { $inc: { n: 1 }, $setOnInsert: { _id: name } }, { upsert: true });
          progress.upserted.push(key);
          break;
        }
        default:
          await client.withSession((session) =>
            session.withTransaction(() => move(things, name, session), { timeoutMS: 30_000 }),
          );
          progress.moved.push(name);
      }
      end.acknowledge();
    }
  } catch (error) {
    if (!end.isOver()) throw error;
    return progress;
  } finally {
    await client.close(true);
  }
}

/** Transfers 1 from one account to the other and records it, with three writes in one transaction. */
async function move(things: Collection<Thing>, name: string, session: ClientSession): Promise<void> {
  await things.updateOne({ _id: "from" }, { $inc: { n: -1 } }, { session });
  await things.insertOne({ _id: `move ${name}`, tags: ["move"] }, { session });
  await things.updateOne({ _id: "to" }, { $inc: { n: 1 } }, { session });
}

describe("the embedded store", () => {
  it(
    `keeps every acknowledged write of ${writers} writers when the server is killed (SWITCHYARD_TEST_SEED=${seed})`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "embedded-mongo-kill-"));
      const moments = createRandom(seed);
      const all: Progress[][] = Array.from({ length: writers }, () => []);
      let acknowledged = 0;
      let served: ServeProcess | undefined;
      try {
        for (let run = 0; run < runs; run++) {
          served = await startServeProcess(folder);
          const { uri, kill } = served;
          const client = await new MongoClient(uri).connect();
          const things = client.db("test").collection<Thing>("things");
          await things.createIndexes([
            { key: { key: 1 }, unique: true, partialFilterExpression: { key: { $exists: true } } },
            { key: { tags: 1, n: -1 } },
            { key: { items: 1 }, sparse: true },
          ]);
          for (const _id of ["from", "to", ...all.map((_, writer) => `counter ${writer}`)]) {
            await things.updateOne({ _id }, { $setOnInsert: { n: 0 } }, { upsert: true });
          }
          await things.insertOne({ _id: `list ${run}`, items: [] });
          await client.close();
          const clients = await Promise.all(all.map((_, writer) => connect(uri, writer)));
          let left = 20 + Math.floor(moments() * 400);
          let killed: Promise<void> | undefined;
          const isOver = (): boolean => killed !== undefined;
          const acknowledge = (): void => {
            left -= 1;
            if (left === 0) killed = kill();
          };
          const progress = await Promise.all(
            clients.map((each, writer) => write(each, run, writer, { acknowledge, isOver })),
          );
          await killed;
          progress.forEach((each, writer) => all[writer]?.push(each));

          const again = await createEmbeddedMongoServer({ folder: join(folder, "store") });
          const reader = await new MongoClient(again.uri).connect();
          const kept = await reader.db("test").collection<Thing>("things").find({}).toArray();
          await reader.close();
          await again.close();
          acknowledged = check(kept, all);
          const engine = new Engine(join(folder, "store"));
          const problems = checkIndexes(engine);
          await engine.sqlite.close();
          expect(problems).toEqual([]);
        }
        expect(acknowledged).toBeGreaterThanOrEqual(runs * 20);
      } finally {
        await served?.kill();
        rmSync(folder, { recursive: true });
      }
    },
    runs * 90_000,
  );

  /** Compares the stored documents with the acknowledged writes of all writers, and returns the number of these. */
  function check(kept: readonly Thing[], all: readonly (readonly Progress[])[]): number {
    const byId = new Map(kept.map((thing) => [thing._id, thing]));
    const byKey = new Map(kept.flatMap((thing) => (thing.key === undefined ? [] : [[thing.key, thing]])));
    const progress = all.flat();
    const waiting = (what: Progress["waiting"]): number => progress.filter((each) => each.waiting === what).length;

    expect(progress.flatMap(({ inserted }) => inserted).filter((id) => !byId.has(id))).toEqual([]);

    for (const [writer, getRuns] of all.entries()) {
      const least = getRuns.reduce((sum, { increments }) => sum + increments, 0);
      const n = byId.get(`counter ${writer}`)?.n ?? 0;
      expect(n).toBeGreaterThanOrEqual(least);
      expect(n).toBeLessThanOrEqual(least + getRuns.filter((each) => each.waiting === "increment").length);
    }

    const items = kept.flatMap((thing) => thing.items ?? []);
    const pushed = progress.flatMap((each) => each.pushed);
    const itemSet = new Set(items);
    expect(items).toHaveLength(itemSet.size);
    expect(pushed.filter((item) => !itemSet.has(item))).toEqual([]);
    expect(items.length).toBeLessThanOrEqual(pushed.length + waiting("push"));

    const keyed = kept.filter(({ key }) => key !== undefined);
    const upserted = progress.flatMap((each) => each.upserted);
    expect(keyed).toHaveLength(byKey.size);
    const counts = new Map<string, number>();
    for (const key of upserted) counts.set(key, (counts.get(key) ?? 0) + 1);
    expect([...counts].filter(([key, count]) => (byKey.get(key)?.n ?? 0) < count)).toEqual([]);
    const total = keyed.reduce((sum, { n }) => sum + (n ?? 0), 0);
    expect(total).toBeLessThanOrEqual(upserted.length + waiting("upsert"));

    const moved = progress.flatMap((each) => each.moved);
    const moves = kept.filter(({ _id }) => _id.startsWith("move ")).length;
    expect(moved.filter((name) => !byId.has(`move ${name}`))).toEqual([]);
    expect(moves).toBeLessThanOrEqual(moved.length + waiting("move"));
    expect([byId.get("from")?.n, byId.get("to")?.n]).toEqual([0 - moves, moves]);

    const increments = progress.reduce((sum, each) => sum + each.increments, 0);
    return (
      progress.flatMap((each) => each.inserted).length + pushed.length + upserted.length + moved.length + increments
    );
  }

  it("detects an index that differs from its documents", async () => {
    const folder = mkdtempSync(join(tmpdir(), "embedded-mongo-check-"));
    const server = await createEmbeddedMongoServer({ folder });
    const client = await new MongoClient(server.uri).connect();
    const things = client.db("test").collection<Thing>("things");
    await things.createIndex({ tags: 1 });
    await things.insertMany([{ _id: "a", tags: ["x", "y"] }, { _id: "b" }]);
    await client.close();
    await server.close();
    for (const [statement, problem] of [
      [undefined, undefined],
      ["DELETE FROM keys_1 WHERE record = 2", "test.things _id_: the index lacks the key"],
      ["INSERT INTO keys_1 SELECT key, 2 FROM keys_1 WHERE record = 1", "is duplicated"],
      ["UPDATE keys_2 SET record = 7 WHERE record = 2", "test.things tags_1: no document has the key"],
      ["DELETE FROM documents_1 WHERE record = 1", "no document has the key"],
      ["CREATE TABLE keys_9 (key, record)", "the table keys_9 belongs to no index or collection"],
    ]) {
      const engine = new Engine(folder);
      let problems = "";
      const damage = (): void => {
        engine.sqlite.run(statement ?? "SELECT 1");
        problems = checkIndexes(engine).join("\n");
        throw new Error("not committed, so that each begins with what is sound");
      };
      expect(() => engine.sqlite.unit(damage)).toThrow("not committed");
      if (problem === undefined) expect(problems).toBe("");
      else expect(problems).toContain(problem);
      engine.catalog.find("test", "things")?.indexes[1]?.multikey.fill(false);
      expect(checkIndexes(engine)).toEqual([
        "test.things tags_1: record 1 has an array that the catalog does not record",
      ]);
      await engine.sqlite.close();
    }
    rmSync(folder, { recursive: true });
  });
});
