import { MongoClient, ObjectId, type Collection, type Document } from "mongodb";
import mongoose from "mongoose";

/** A running server for a test. */
export interface ServerUnderTest {
  readonly uri: string;
  close(): Promise<void>;
}

/** What the services rely on, of any MongoDB: run on the embedded server, and on a real one to keep the suite honest. */
export function describeMongo(name: string, provide: () => Promise<ServerUnderTest>): void {
  describe(name, () => {
    let server: ServerUnderTest;
    let client: MongoClient;
    let connection: mongoose.Connection;
    let things: Collection<Document>;
    let count = 0;

    beforeAll(async () => {
      server = await provide();
      client = await new MongoClient(server.uri).connect();
      connection = await mongoose.createConnection(server.uri, { dbName: "suite" }).asPromise();
    }, 60_000);
    afterAll(async () => {
      await connection.close();
      await client.close();
      await server.close();
    });
    beforeEach(() => {
      things = client.db("suite").collection(`things${++count}`);
    });

    const ids = async (query: Document, sort: Document = { _id: 1 }): Promise<unknown[]> =>
      (
        await things
          .find(query)
          .sort(sort as { _id: 1 })
          .toArray()
      ).map(({ _id }) => _id as unknown);

    describe("through mongoose", () => {
      it("creates, finds, saves and deletes documents with their types", async () => {
        const schema = new mongoose.Schema(
          {
            name: String,
            count: Number,
            bytes: Buffer,
            when: Date,
            tags: [String],
            inner: { ref: mongoose.Types.ObjectId },
          },
          { timestamps: true },
        );
        const Model = connection.model(`Model${count}`, schema);
        const ref = new mongoose.Types.ObjectId();
        const when = new Date(1_700_000_000_123);
        const made = await Model.create({
          name: "ä",
          count: 1.5,
          bytes: Buffer.from([0, 255]),
          when,
          tags: ["x"],
          inner: { ref },
        });
        const found = await Model.findById(made._id).orFail();
        expect(found.name).toBe("ä");
        expect(found.count).toBe(1.5);
        expect(found.when).toEqual(when);
        expect(Buffer.from(found.bytes as Buffer)).toEqual(Buffer.from([0, 255]));
        expect(String(found.inner?.ref)).toBe(String(ref));
        found.tags.push("y");
        found.count = 2;
        await found.save();
        expect((await Model.findById(made._id).lean().orFail()).tags).toEqual(["x", "y"]);
        expect((await Model.deleteOne({ _id: made._id })).deletedCount).toBe(1);
        expect(await Model.findById(made._id)).toBeNull();
      });

      it("names the key of a duplicate", async () => {
        const schema = new mongoose.Schema({ project: String, name: String });
        schema.index({ project: 1, name: 1 }, { unique: true });
        const Model = connection.model(`Model${count}`, schema);
        await Model.init();
        await Model.create({ project: "p", name: "n" });
        await expect(Model.create({ project: "p", name: "n" })).rejects.toMatchObject({
          code: 11000,
          keyPattern: { project: 1, name: 1 },
          keyValue: { project: "p", name: "n" },
        });
        await Model.create({ project: "q", name: "n" });
      });

      it("loses no increment of racing transactions", async () => {
        const Model = connection.model(`Model${count}`, new mongoose.Schema({ _id: String, total: Number }));
        await Model.create({ _id: "one", total: 0 });
        await Promise.all(
          Array.from({ length: 8 }, async () => {
            for (let each = 0; each < 5; each++) {
              await connection.transaction(async (session) => {
                const found = await Model.findById("one").session(session).orFail();
                found.total = (found.total ?? 0) + 1;
                await found.save({ session });
              });
            }
          }),
        );
        expect((await Model.findById("one").orFail()).total).toBe(40);
      });
    });

    describe("queries", () => {
      const documents = [
        { _id: 1, a: 1, b: "x" },
        { _id: 2, a: [1, 5], b: null },
        { _id: 3, a: "1" },
        {
          _id: 4,
          a: null,
          c: [
            { d: 1, e: 1 },
            { d: 2, e: 2 },
          ],
        },
        { _id: 5, a: [], c: { d: 2 } },
        { _id: 6, a: { x: 1 }, b: "xy" },
        { _id: 7, a: 5.5, c: [] },
      ];
      const cases: [Document, number[]][] = [
        [{ a: 1 }, [1, 2]],
        [{ a: null }, [4]],
        [{ b: null }, [2, 3, 4, 5, 7]],
        [{ b: { $exists: true } }, [1, 2, 6]],
        [{ a: { $gt: 1 } }, [2, 7]],
        [{ a: { $gt: 1, $lt: 5 } }, [2]],
        [{ a: { $elemMatch: { $gt: 1, $lt: 5 } } }, []],
        [{ a: { $ne: 1 } }, [3, 4, 5, 6, 7]],
        [{ a: { $in: [5, "1", { x: 1 }] } }, [2, 3, 6]],
        [{ a: { $nin: [null, 1] } }, [3, 5, 6, 7]],
        [{ a: [] }, [5]],
        [{ a: { $size: 2 } }, [2]],
        [{ a: { $type: "string" } }, [3]],
        [{ a: { $type: "array" } }, [2, 5]],
        [{ a: { $all: [1, 5] } }, [2]],
        [{ "c.d": 2 }, [4, 5]],
        [{ "c.d": 1, "c.e": 2 }, [4]],
        [{ c: { $elemMatch: { d: 1, e: 2 } } }, []],
        [{ c: { $not: { $elemMatch: { d: 1 } } } }, [1, 2, 3, 5, 6, 7]],
        [{ "c.1.d": 2 }, [4]],
        [{ b: /^x/ }, [1, 6]],
        [{ b: { $regex: "Y$", $options: "i" } }, [6]],
        [{ $or: [{ a: 1 }, { b: "xy" }] }, [1, 2, 6]],
        [{ $nor: [{ a: { $exists: true } }] }, []],
        [{ $and: [{ a: { $gte: 1 } }, { a: { $lte: 5 } }] }, [1, 2]],
        [{ "a.x": { $exists: true } }, [6]],
      ];
      for (const index of [
        undefined,
        { a: 1 },
        { a: -1, b: 1 },
        { "c.d": 1, "c.e": 1 },
        { b: 1, a: -1 },
      ] as Document[]) {
        it(`finds the same ${index === undefined ? "without an index" : `with ${JSON.stringify(index)}`}`, async () => {
          await things.insertMany(documents as unknown as Document[]);
          if (index !== undefined) await things.createIndex(index as { a: 1 });
          for (const [query, expected] of cases) expect([query, await ids(query)]).toEqual([query, expected]);
        });
      }

      it("sorts values of mixed kinds in MongoDB's order, both ways", async () => {
        const values = [
          null,
          -1,
          1.5,
          2,
          "A",
          "a",
          "\uFFFD",
          "\u{1F600}",
          { a: 1 },
          new ObjectId(),
          false,
          true,
          new Date(0),
        ];
        await things.insertMany(
          [...values].reverse().map((value, at) => ({ _id: values.length - 1 - at, value })) as unknown as Document[],
        );
        const order = values.map((_, at) => at);
        expect(await ids({}, { value: 1 })).toEqual(order);
        await things.createIndex({ value: 1 });
        expect(await ids({}, { value: 1 })).toEqual(order);
        expect(await ids({}, { value: -1 })).toEqual([...order].reverse());
      });

      it("pages with sort, skip, limit and a cursor", async () => {
        await things.insertMany(
          Array.from({ length: 1000 }, (_, at) => ({ _id: at, group: at % 3 })) as unknown as Document[],
        );
        await things.createIndex({ group: 1, _id: -1 });
        const page = await things.find({ group: 1 }).sort({ _id: -1 }).skip(2).limit(3).toArray();
        expect(page.map(({ _id }) => _id as unknown)).toEqual([991, 988, 985]);
        expect(await things.find({}, { batchSize: 7 }).toArray()).toHaveLength(1000);
        const after = { group: 1, $or: [{ group: { $gt: 1 } }, { group: 1, _id: { $lt: 10 } }] };
        expect(await ids(after, { _id: -1 })).toEqual([7, 4, 1]);
      });

      it("projects by inclusion and exclusion", async () => {
        await things.insertOne({ _id: 1, a: { b: 1, c: 2 }, d: [{ e: 1, f: 2 }, 3] } as unknown as Document);
        const project = async (projection: Document): Promise<unknown> => things.findOne({}, { projection });
        expect(await project({ "a.b": 1 })).toEqual({ _id: 1, a: { b: 1 } });
        expect(await project({ "d.e": 1, _id: 0 })).toEqual({ d: [{ e: 1 }] });
        expect(await project({ "d.e": 0, a: 0 })).toEqual({ _id: 1, d: [{ f: 2 }, 3] });
        expect(await project({ _id: 0, a: { c: 1 } })).toEqual({ a: { c: 2 } });
      });
    });

    describe("updates", () => {
      const start = {
        _id: 1,
        n: 1,
        s: "x",
        list: [3, 1, 2],
        items: [
          { id: 1, v: 1 },
          { id: 2, v: 2 },
        ],
      };
      const cases: [string, Document, Document, Document, Document?][] = [
        ["$set and $unset", {}, { $set: { "o.p": 1 }, $unset: { s: 1 } }, { o: { p: 1 }, s: undefined }],
        ["$inc and $mul", {}, { $inc: { n: 2, m: 1 }, $mul: { k: 3 } }, { n: 3, m: 1, k: 0 }],
        ["$min and $max", {}, { $min: { n: 0 }, $max: { s: "y" } }, { n: 0, s: "y" }],
        ["$push with modifiers", {}, { $push: { list: { $each: [9, 0], $sort: -1, $slice: 3 } } }, { list: [9, 3, 2] }],
        ["$push at a place", {}, { $push: { list: { $each: [7], $position: 1 } } }, { list: [3, 7, 1, 2] }],
        ["$addToSet", {}, { $addToSet: { list: { $each: [1, 8] } } }, { list: [3, 1, 2, 8] }],
        ["$pull", {}, { $pull: { list: { $gte: 2 }, items: { id: 1 } } }, { list: [1], items: [{ id: 2, v: 2 }] }],
        [
          "$pullAll and $pop",
          {},
          { $pullAll: { list: [1, 2] }, $pop: { items: -1 } },
          { list: [3], items: [{ id: 2, v: 2 }] },
        ],
        ["$rename", {}, { $rename: { s: "t" } }, { s: undefined, t: "x" }],
        [
          "positional $",
          { "items.id": 2 },
          { $set: { "items.$.v": 9 } },
          {
            items: [
              { id: 1, v: 1 },
              { id: 2, v: 9 },
            ],
          },
        ],
        [
          "$[]",
          {},
          { $inc: { "items.$[].v": 1 } },
          {
            items: [
              { id: 1, v: 2 },
              { id: 2, v: 3 },
            ],
          },
        ],
        [
          "arrayFilters",
          {},
          { $set: { "items.$[e].v": 0 } },
          {
            items: [
              { id: 1, v: 1 },
              { id: 2, v: 0 },
            ],
          },
          { arrayFilters: [{ "e.v": { $gt: 1 } }] },
        ],
      ];
      for (const [title, query, update, expected, options] of cases) {
        it(`applies ${title}`, async () => {
          await things.insertOne(structuredClone(start) as unknown as Document);
          await things.updateOne(query, update, options ?? {});
          const wanted = Object.fromEntries(
            Object.entries({ ...start, ...expected }).filter(([, value]) => value !== undefined),
          );
          expect(await things.findOne({})).toEqual(wanted);
        });
      }

      it("upserts from the query, and tells so", async () => {
        const result = await things.updateOne(
          { name: "a", kind: { $eq: "k" }, n: { $gt: 3 } },
          { $setOnInsert: { made: 1 }, $inc: { n: 1 } },
          { upsert: true },
        );
        expect(result.upsertedCount).toBe(1);
        expect(await things.findOne({ _id: result.upsertedId as ObjectId })).toEqual({
          _id: result.upsertedId,
          kind: "k",
          name: "a",
          made: 1,
          n: 1,
        });
        const again = await things.updateOne(
          { name: "a" },
          { $setOnInsert: { made: 2 }, $inc: { n: 1 } },
          { upsert: true },
        );
        expect([again.upsertedCount, again.matchedCount, again.modifiedCount]).toEqual([0, 1, 1]);
      });

      it("replaces, finds and modifies, and refuses wrong updates", async () => {
        await things.insertOne({ _id: 1, a: 1 } as unknown as Document);
        await things.replaceOne({ _id: 1 } as Document, { b: 2 });
        expect(await things.findOne({})).toEqual({ _id: 1, b: 2 });
        expect(await things.findOneAndUpdate({ b: 2 }, { $inc: { b: 1 } }, { returnDocument: "after" })).toEqual({
          _id: 1,
          b: 3,
        });
        await expect(things.updateOne({}, { $set: { _id: 2 } })).rejects.toMatchObject({ code: 66 });
        await expect(things.updateOne({}, { $push: { b: 1 } } as Document)).rejects.toMatchObject({ code: 2 });
        await expect(things.updateOne({}, { $inc: { b: 1 }, $set: { "b.c": 1 } })).rejects.toMatchObject({ code: 40 });
        await expect(things.updateOne({}, { $set: { "b.c": 1 } })).rejects.toMatchObject({ code: 28 });
        expect(await things.findOneAndDelete({ b: 3 })).toEqual({ _id: 1, b: 3 });
        expect(await things.findOneAndDelete({ b: 3 })).toBeNull();
      });

      it("adds exactly once when guarded pushes race", async () => {
        await things.insertOne({ _id: "list", routes: [] } as unknown as Document);
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, at) =>
            things.updateOne(
              {
                _id: "list",
                routes: { $not: { $elemMatch: { target: at % 2 } } },
                "routes.4": { $exists: false },
              } as unknown as Document,
              { $push: { routes: { target: at % 2, at } } } as Document,
            ),
          ),
        );
        expect(results.filter(({ modifiedCount }) => modifiedCount === 1)).toHaveLength(2);
        expect((await things.findOne({}))?.["routes"]).toHaveLength(2);
      });
    });

    describe("unique indexes", () => {
      it("tells ordered and unordered bulk errors by their place", async () => {
        await things.createIndex({ k: 1 }, { unique: true });
        const rows = (): Document[] => [{ k: 1 }, { k: 1 }, { k: 2 }];
        const codes = async (ordered: boolean): Promise<unknown> =>
          things
            .insertMany(rows(), { ordered })
            .catch((error: { writeErrors: { index: number; code: number }[] }) =>
              error.writeErrors.map(({ index, code }) => [index, code]),
            );
        expect(await codes(true)).toEqual([[1, 11000]]);
        expect(await things.countDocuments({})).toBe(1);
        expect(await codes(false)).toEqual([
          [0, 11000],
          [1, 11000],
        ]);
        expect(await things.countDocuments({})).toBe(2);
      });

      it("knows partial, sparse, compound and multikey ones", async () => {
        await things.createIndex({ name: 1 }, { unique: true, partialFilterExpression: { live: true } });
        await things.createIndex({ token: 1 }, { unique: true, sparse: true });
        await things.createIndex(
          { "keys.id": 1 },
          { unique: true, partialFilterExpression: { keys: { $exists: true } } },
        );
        await things.insertMany([{ name: "a", live: false }, { name: "a", live: true }, { name: "a" }]);
        await expect(things.insertOne({ name: "a", live: true })).rejects.toMatchObject({ code: 11000 });
        await expect(things.updateMany({ live: false }, { $set: { live: true } })).rejects.toMatchObject({
          code: 11000,
        });
        await things.insertOne({ token: 1, keys: [{ id: 1 }, { id: 2 }, { id: 1 }] });
        await expect(things.insertOne({ keys: [{ id: 2 }] })).rejects.toMatchObject({ code: 11000 });
        await expect(things.insertOne({ token: 1 })).rejects.toMatchObject({ code: 11000 });
        expect(await things.countDocuments({ name: "a" })).toBe(3);
        expect(await things.countDocuments({ name: "a", live: true })).toBe(1);
      });

      it("lets one of racing inserts win", async () => {
        await things.createIndex({ k: 1 }, { unique: true });
        const results = await Promise.allSettled(Array.from({ length: 20 }, () => things.insertOne({ k: "same" })));
        expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        for (const result of results)
          if (result.status === "rejected") expect(result.reason).toMatchObject({ code: 11000 });
      });

      it("does not take neighbours beyond 2^53 for duplicates", async () => {
        await things.createIndex({ k: 1 }, { unique: true });
        const { Long } = await import("mongodb");
        await things.insertMany(["9007199254740992", "9007199254740993"].map((text) => ({ k: Long.fromString(text) })));
        await expect(things.insertOne({ k: 9007199254740992 })).rejects.toMatchObject({ code: 11000 });
      });

      it("refuses one that the documents break, and lists what there is", async () => {
        await things.insertMany([{ k: 1 }, { k: 1 }]);
        await expect(things.createIndex({ k: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
        await things.createIndex({ k: 1 }, { name: "mine", expireAfterSeconds: 3600 });
        await things.createIndex({ k: 1 }, { name: "mine", expireAfterSeconds: 3600 });
        expect((await things.indexes()).map(({ name }) => name)).toEqual(["_id_", "mine"]);
        await things.dropIndex("mine");
        expect((await things.indexes()).map(({ name }) => name)).toEqual(["_id_"]);
      });
    });

    describe("transactions", () => {
      it("commits all or nothing, and shows others nothing before", async () => {
        await things.insertOne({ _id: "a", n: 1 } as unknown as Document);
        const session = client.startSession();
        session.startTransaction();
        await things.updateOne({ _id: "a" } as Document, { $inc: { n: 1 } }, { session });
        await things.insertOne({ _id: "b", n: 5 } as unknown as Document, { session });
        expect(await things.find({}, { session }).sort({ n: -1 }).toArray()).toEqual([
          { _id: "b", n: 5 },
          { _id: "a", n: 2 },
        ]);
        expect(await things.find({}).toArray()).toEqual([{ _id: "a", n: 1 }]);
        await session.abortTransaction();
        expect(await things.find({}).toArray()).toEqual([{ _id: "a", n: 1 }]);
        await session.withTransaction(async () => {
          await things.updateOne({ _id: "a" } as Document, { $inc: { n: 1 } }, { session });
          await things.insertOne({ _id: "b", n: 5 } as unknown as Document, { session });
        });
        expect(await ids({})).toEqual(["a", "b"]);
        await session.endSession();
      });

      it("reads from its snapshot", async () => {
        await things.insertMany([
          { _id: 1, n: 1 },
          { _id: 2, n: 2 },
        ] as unknown as Document[]);
        await things.createIndex({ n: 1 });
        const session = client.startSession();
        session.startTransaction({ readConcern: { level: "snapshot" } });
        const read = async (): Promise<unknown> =>
          (
            await things
              .find({ n: { $gt: 0 } }, { session })
              .sort({ n: 1 })
              .toArray()
          ).map(({ n }) => n as unknown);
        expect(await read()).toEqual([1, 2]);
        await things.updateOne({ _id: 1 } as unknown as Document, { $set: { n: 9 } });
        await things.deleteOne({ _id: 2 } as unknown as Document);
        await things.insertOne({ _id: 3, n: 3 } as unknown as Document);
        expect(await read()).toEqual([1, 2]);
        expect(await things.countDocuments({}, { session })).toBe(2);
        await expect(
          things.updateOne({ _id: 1 } as unknown as Document, { $inc: { n: 1 } }, { session }),
        ).rejects.toMatchObject({ code: 112 });
        await session.endSession();
      });

      it("gives the second of two writers a conflict to run again", async () => {
        await things.insertOne({ _id: 1, n: 0 } as unknown as Document);
        const [first, second] = [client.startSession(), client.startSession()];
        first.startTransaction();
        second.startTransaction();
        await things.updateOne({ _id: 1 } as unknown as Document, { $inc: { n: 1 } }, { session: first });
        const conflict = await things
          .updateOne({ _id: 1 } as unknown as Document, { $inc: { n: 1 } }, { session: second })
          .catch((error: unknown) => error);
        expect(conflict).toMatchObject({ code: 112 });
        expect((conflict as { hasErrorLabel(label: string): boolean }).hasErrorLabel("TransientTransactionError")).toBe(
          true,
        );
        await first.commitTransaction();
        await Promise.all([first.endSession(), second.endSession()]);
        expect((await things.findOne({}))?.["n"]).toBe(1);
      });

      it("lets a write outside wait for it", async () => {
        await things.insertOne({ _id: 1, n: 0 } as unknown as Document);
        const session = client.startSession();
        session.startTransaction();
        await things.updateOne({ _id: 1 } as unknown as Document, { $inc: { n: 1 } }, { session });
        let finished = false;
        const outside = things
          .updateOne({ _id: 1 } as unknown as Document, { $inc: { n: 10 } })
          .then(() => (finished = true));
        await new Promise((resolve) => setTimeout(resolve, 100));
        expect(finished).toBe(false);
        await session.commitTransaction();
        await outside;
        expect((await things.findOne({}))?.["n"]).toBe(11);
        await session.endSession();
      });

      it("lets one of two take a unique key", async () => {
        await things.createIndex({ k: 1 }, { unique: true });
        const outcomes = await Promise.all(
          Array.from({ length: 6 }, async (_, at) => {
            const session = client.startSession();
            try {
              await session.withTransaction(async () => {
                await things.insertOne({ k: "one", at }, { session });
                await things.insertOne({ k: `own-${at}` }, { session });
              });
              return "won";
            } catch (error) {
              return (error as { code?: number }).code;
            } finally {
              await session.endSession();
            }
          }),
        );
        expect(outcomes.filter((each) => each === "won")).toHaveLength(1);
        expect(outcomes.filter((each) => each === 11000)).toHaveLength(5);
        expect(await things.countDocuments({})).toBe(2);
      });

      it("is over after an error in it", async () => {
        await things.insertOne({ _id: 1 } as unknown as Document);
        const session = client.startSession();
        session.startTransaction();
        await things.insertOne({ _id: 2 } as unknown as Document, { session });
        await expect(things.insertOne({ _id: 1 } as unknown as Document, { session })).rejects.toMatchObject({
          code: 11000,
        });
        await expect(things.insertOne({ _id: 3 } as unknown as Document, { session })).rejects.toMatchObject({
          code: 251,
        });
        await session.endSession();
        expect(await ids({})).toEqual([1]);
      });
    });

    describe("aggregation, counts and lists", () => {
      it("groups, unwinds, projects and counts", async () => {
        await things.insertMany([
          { _id: 1, kind: "a", n: 1, tags: ["x", "y"] },
          { _id: 2, kind: "b", n: 2, tags: [] },
          { _id: 3, kind: "a", n: 3.5, tags: ["x"] },
        ] as unknown as Document[]);
        const run = (pipeline: Document[]): Promise<Document[]> => things.aggregate(pipeline).toArray();
        expect(
          await run([
            {
              $group: {
                _id: "$kind",
                sum: { $sum: "$n" },
                least: { $min: "$n" },
                most: { $max: "$n" },
                average: { $avg: "$n" },
                all: { $push: "$_id" },
                count: { $sum: 1 },
              },
            },
            { $sort: { _id: 1 } },
          ]),
        ).toEqual([
          { _id: "a", sum: 4.5, least: 1, most: 3.5, average: 2.25, all: [1, 3], count: 2 },
          { _id: "b", sum: 2, least: 2, most: 2, average: 2, all: [2], count: 1 },
        ]);
        expect(
          await run([
            { $unwind: "$tags" },
            { $project: { _id: 0, tag: "$tags", id: "$_id" } },
            { $sort: { tag: 1, id: 1 } },
          ]),
        ).toEqual([
          { tag: "x", id: 1 },
          { tag: "x", id: 3 },
          { tag: "y", id: 1 },
        ]);
        expect(await run([{ $match: { kind: "a" } }, { $count: "n" }])).toEqual([{ n: 2 }]);
        expect(
          await run([
            { $sort: { n: -1 } },
            { $group: { _id: null, first: { $first: "$_id" }, last: { $last: "$_id" } } },
          ]),
        ).toEqual([{ _id: null, first: 3, last: 1 }]);
        expect(await things.countDocuments({ kind: "a" })).toBe(2);
        expect(await things.estimatedDocumentCount()).toBe(3);
        expect(await things.distinct("tags")).toEqual(["x", "y"]);
      });

      it("lists and drops collections and databases", async () => {
        const database = client.db(`lists-${count}`);
        await database.createCollection("one");
        await database.collection("two").insertOne({});
        expect((await database.listCollections().toArray()).map(({ name: each }) => each).sort()).toEqual([
          "one",
          "two",
        ]);
        await expect(database.createCollection("two")).rejects.toMatchObject({ code: 48 });
        await database.collection("one").drop();
        expect(
          (await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name: each }) => each),
        ).toEqual(["two"]);
        await database.dropDatabase();
        expect(
          (await client.db("admin").admin().listDatabases()).databases.map(({ name: each }) => each),
        ).not.toContain(database.databaseName);
      });
    });
  });
}
