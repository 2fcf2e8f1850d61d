import { isDeepStrictEqual } from "node:util";
import { Binary, BSON, Double, Int32, Long, MongoClient, ObjectId, type Collection, type Document } from "mongodb";
import { createEmbeddedMongoServer, type EmbeddedMongo } from "../index.ts";
import { createRandom } from "../testing/random.ts";
import type { ServerUnderTest } from "./context.suite.ts";

type Fields = { [name: string]: unknown };
type Run = (things: Collection<Document>) => Promise<unknown>;

/** Tests that random queries, projections, counts and updates, generated from a seed, have the same results on both servers. */
export function describeComparison(provide: () => Promise<ServerUnderTest>): void {
  describe("the embedded server and a real mongod", () => {
    let servers: readonly [EmbeddedMongo, ServerUnderTest];
    let clients: readonly MongoClient[];
    beforeAll(async () => {
      servers = [await createEmbeddedMongoServer({ folder: ":memory:" }), await provide()];
      clients = await Promise.all(servers.map(({ uri }) => new MongoClient(uri).connect()));
    });
    afterAll(async () => {
      for (const client of clients) await client.close();
      for (const server of servers) await server.close();
    });

    /**
     * Returns the results of both servers, with the types of all values. Every error is only "failed", as servers may report a different
     * one of several errors.
     */
    async function outcomes(run: Run): Promise<unknown[]> {
      return Promise.all(
        clients.map(async (client) => {
          const things = client.db("comparison").collection("things", { promoteValues: false });
          const result = await run(things).catch(() => "failed");
          return JSON.parse(BSON.EJSON.stringify(result, { relaxed: false })) as unknown;
        }),
      );
    }

    async function compare(what: Fields, run: Run): Promise<boolean> {
      const [ours, real] = await outcomes(run);
      if (!isDeepStrictEqual(ours, real)) expect({ what: text(what), ours }).toEqual({ what: text(what), ours: real });
      return ours !== "failed";
    }

    const kinds: { readonly [name: string]: (random: Random, stored: Fields) => Promise<boolean> } = {
      queries: (random) => {
        const query = random.query(2);
        return compare({ query }, (things) => things.find(query).sort({ _id: 1 }).toArray());
      },
      projections: (random) => {
        const projection = random.projection();
        return compare({ projection }, (things) => things.find({}, { projection }).sort({ _id: 1 }).toArray());
      },
      counts: (random) => {
        const query = random.query(1);
        return compare({ query }, (things) => things.countDocuments(query, { skip: 1, limit: 5 }));
      },
      updates: (random, stored) => {
        const [query, update] = [random.query(1), random.update()];
        const used = ["x", "y"].filter((name) => text(update).includes(`$[${name}]`));
        const arrayFilters = used.map((name) => ({ [name]: random.operators(0) }));
        const options = { upsert: random.chance(0.3), ...(used.length > 0 ? { arrayFilters } : {}) };
        return compare({ stored, query, update, options }, async (things) => {
          await things.deleteMany({});
          await things.insertOne({ ...stored });
          await things.updateOne({ ...query, _id: 0 } as Document, update, options);
          return things.findOne({});
        });
      },
    };
    for (const [name, once] of Object.entries(kinds)) {
      it(`have the same results for 400 random ${name}`, async () => {
        let succeeded = 0;
        for (let round = 0; round < 20; round++) {
          const random = createRandomOperations(round);
          const documents: Fields[] = times(10, (_id) => ({ _id, whole: new Int32(_id), ...random.document(3) }));
          await outcomes(async (things) => {
            await things.deleteMany({});
            await things.insertMany(documents.map((each) => ({ ...each })));
          });
          for (let at = 0; at < 20; at++) succeeded += Number(await once(random, documents[0] as Fields));
        }
        expect(succeeded).toBeGreaterThan(100);
      });
    }
  });
}

const names = ["a", "b", "c"];
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const text = (value: Fields): string => BSON.EJSON.stringify(value, { relaxed: false });
const scalars = [
  ...[
    new Int32(0),
    new Int32(1),
    new Int32(5),
    new Double(1),
    new Double(1.5),
    new Double(Number.NaN),
    Long.fromNumber(1),
  ],
  ...[Long.fromString("9007199254740993"), new Double(9007199254740992), null, "", "a", "b", "\uFFFD", "\u{1F600}"],
  ...[true, false, new Date(0), new Date(5), new ObjectId("64b000000000000000000001")],
  ...[new Binary(Uint8Array.of(1, 2)), new Binary(Uint8Array.of(3), 4)],
];

/** Returns whether two paths address an element of an array in two ways, which the embedded server rejects. */
function mixesPlaces(left: string, right: string): boolean {
  const [a, b] = [left.split("."), right.split(".")];
  const at = a.findIndex((part, depth) => part !== b[depth]);
  return [a[at], b[at]].some((part) => part?.startsWith("$"));
}

type Random = ReturnType<typeof createRandomOperations>;

/** Creates a generator of random documents, queries, projections and updates, always the same ones for a seed. */
function createRandomOperations(seed: number) {
  const next = createRandom(seed);
  const random = {
    chance: (share: number): boolean => next() < share,
    upTo: (most: number): number => Math.floor(next() * (most + 1)),
    pick: <T>(list: readonly T[]): T => list[random.upTo(list.length - 1)] as T,
    value(depth: number): unknown {
      if (depth > 0 && random.chance(0.25)) return times(random.upTo(3), () => random.value(depth - 1));
      return depth > 0 && random.chance(0.3) ? random.document(depth - 1) : random.pick(scalars);
    },
    document(depth: number): Fields {
      const wanted = names.filter(() => random.chance(0.6));
      if (random.chance(0.2)) wanted.reverse();
      return Object.fromEntries(wanted.map((name) => [name, random.value(depth)]));
    },
    path(further: readonly string[]): string {
      const path = [random.pick(names)];
      while (random.chance(0.4)) path.push(random.pick([...names, ...further]));
      return path.join(".");
    },
    operators(depth: number): Fields {
      const name = random.pick([
        "$eq",
        "$ne",
        "$gt",
        "$gte",
        "$lt",
        "$lte",
        "$in",
        "$nin",
        "$exists",
        "$elemMatch",
        "$not",
      ]);
      const list = times(1 + random.upTo(2), () => random.value(1));
      const nested = depth > 0 ? random.operators(depth - 1) : { $eq: random.value(1) };
      const operands: Fields = {
        $in: list,
        $nin: list,
        $exists: random.chance(0.5),
        $not: nested,
      };
      operands["$elemMatch"] = random.chance(0.5) ? random.query(depth - 1) : nested;
      return { [name]: operands[name] ?? random.value(1) };
    },
    query(depth: number): Fields {
      const field = { [random.path(["0", "1"])]: random.chance(0.4) ? random.value(1) : random.operators(depth) };
      if (depth <= 0 || random.chance(0.7)) return field;
      return {
        ...field,
        [random.pick(["$and", "$or"])]: times(1 + random.upTo(1), () => random.query(depth - 1)),
      };
    },
    projection(): { [name: string]: 0 | 1 } {
      const wanted = random.pick([0, 1] as const);
      const fields = times(1 + random.upTo(1), () => [random.path(names), wanted] as const);
      return Object.fromEntries(random.chance(0.3) ? [...fields, ["_id", random.pick([0, 1] as const)]] : fields);
    },
    update(): Fields {
      const paths: string[] = [];
      const parts = times(1 + random.upTo(1), () => {
        const name = random.pick(["$set", "$unset", "$inc", "$push", "$addToSet", "$pull", "$setOnInsert"]);
        const $each = times(random.upTo(3), () => random.value(1));
        const operands: { readonly [name: string]: readonly unknown[] } = {
          $inc: [new Int32(1), new Double(0.5), Long.fromNumber(3), new Int32(2147483647)],
          $push: [{ $each }, random.value(1)],
          $addToSet: [{ $each }, random.value(1)],
          $pull: [{ [random.pick(["$eq", "$gte", "$in"])]: $each }, random.query(0), random.value(1)],
        };
        // MongoDB also evaluates placeholders in a $setOnInsert that inserts nothing.
        const placeholders = name === "$setOnInsert" || random.chance(0.6) ? [] : ["$", "$[]", "$[x]", "$[y]"];
        let path = "";
        do path = random.path(["0", "1", "3", ...placeholders]);
        while (paths.some((other) => mixesPlaces(path, other)));
        paths.push(path);
        return [name, { [path]: random.pick(operands[name] ?? [random.value(1)]) }] as const;
      });
      return Object.fromEntries(parts);
    },
  };
  return random;
}
