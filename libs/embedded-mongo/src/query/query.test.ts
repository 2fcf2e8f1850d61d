import { Double, Int32, ObjectId } from "bson";
import { Engine } from "../engine.ts";
import type { Collection } from "../storage/catalog.ts";
import { parseFilter } from "./filter.ts";
import { compileFilter } from "./matcher.ts";
import { parseFields, parseIndex } from "../indexes/index-definition.ts";
import { planQuery } from "./planner.ts";
import { runQuery } from "./query.ts";
import type { Document } from "../values/values.ts";

const int = (value: number): Int32 => new Int32(value);

const listOf = <Item>(length: number, make: (at: number) => Item): Item[] =>
  Array.from({ length }, (_, at) => make(at));

/**
 * Creates 2,000 documents of 10 owners with the given indexes, and functions that plan and run queries and count the rows that they read.
 */
function prepare(keys: readonly { readonly [name: string]: number }[], options: Document = {}) {
  const engine = new Engine(":memory:");
  let collection!: Collection;
  engine.sqlite.unit(() => {
    collection = engine.catalog.create("test", "things");
    for (const [at, key] of keys.entries()) {
      const numbers = Object.fromEntries(Object.entries(key).map(([name, direction]) => [name, int(direction)]));
      const definition = parseIndex({ key: numbers, name: `index${at}`, ...options });
      engine.catalog.addIndex(collection, engine.catalog.beginIndex(collection, definition));
    }
    for (let at = 0; at < 2000; at++) {
      engine.documents.insert(undefined, collection, { _id: int(at), owner: `owner-${at % 10}`, rank: int(at % 7) });
    }
  });
  const { records } = engine;
  return {
    engine,
    collection,
    plan: (filter: Document, sort: Document = {}) =>
      planQuery(collection.indexes, parseFilter(filter), parseFields("a sort", sort)),
    run(filter: Document, sort: Document = {}, limit = 0): { ids: number[]; read: number } {
      const before = records.rowsRead;
      const query = { filter: parseFilter(filter), sort: parseFields("a sort", sort), skip: 0, limit };
      const found = [...runQuery(records, collection, query)].flatMap((each) => each ?? []);
      const ids = found.map(({ document }) => (document()["_id"] as Int32).value);
      return { ids, read: records.rowsRead - before };
    },
  };
}

describe("runQuery", () => {
  it("reads one row for a document by its _id", () => {
    expect(prepare([]).run({ _id: int(77) }, {}, 1)).toEqual({ ids: [77], read: 1 });
  });

  it("reads about one page of rows for a page by equality and sort", () => {
    const { run } = prepare([{ owner: 1, _id: -1 }]);
    const { ids, read } = run({ owner: "owner-3" }, { _id: int(-1) }, 10);
    expect(ids).toEqual([1993, 1983, 1973, 1963, 1953, 1943, 1933, 1923, 1913, 1903]);
    expect(read).toBeLessThan(30);
    const later = run({ owner: "owner-3", _id: { $lt: int(1003) } }, { _id: int(-1) }, 3);
    expect(later.ids).toEqual([993, 983, 973]);
    expect(later.read).toBeLessThan(30);
  });

  it.each([
    ["an index answers alone", { owner: "owner-3" }, 200, false],
    ["an index answers for some values", { owner: { $in: ["owner-3", "owner-4"] } }, 400, false],
    ["conditions are left", { owner: "owner-3", rank: int(3) }, 29, true],
    ["no index helps", { rank: int(3) }, 286, true],
  ])("counts rows, where %s, and reads documents only if it must", (_, filter, count, readsDocuments) => {
    const { engine, collection } = prepare([{ owner: 1, _id: 1 }]);
    const query = { filter: parseFilter(filter), sort: [], skip: 0, limit: 0, onlyCounted: true };
    const rows = [...runQuery(engine.records, collection, query)].flatMap((each) => each ?? []);
    expect(rows).toHaveLength(count);
    expect(rows.every(({ body }) => body.length > 0)).toBe(readsDocuments);
  });

  it("reads about one page of rows for a page by an array element and a sort, but does not sort by the array", () => {
    const { engine, run, plan } = prepare([{ owner: 1, _id: 1 }]);
    const collection = engine.catalog.find("test", "things") as Collection;
    const insert = (id: number, owner: string[]) =>
      engine.sqlite.unit(() => engine.documents.insert(undefined, collection, { _id: int(id), owner }));
    for (let at = 3000; at < 3200; at += 1)
      insert(at, at % 2 === 0 ? ["owner-3", "shared"] : ["other", "shared", "shared"]);
    const { ids, read } = run({ owner: "shared" }, { _id: int(-1) }, 5);
    expect(ids).toEqual([3199, 3198, 3197, 3196, 3195]);
    expect(read).toBeLessThan(30);
    expect(run({ owner: "owner-3" }, { _id: int(-1) }, 2).ids).toEqual([3198, 3196]);
    expect(run({ owner: "shared", _id: { $lt: int(3002) } }, { _id: int(-1) }).ids).toEqual([3001, 3000]);
    expect(plan({ owner: "shared" }, { owner: int(1) }).sorted).toBe(false);
    expect(run({ owner: { $in: ["shared", "other"] } }, { _id: int(-1) }, 3).ids).toEqual([3199, 3198, 3197]);
  });

  it("plans a query with many alternatives in bounded time", () => {
    const { plan } = prepare([{ owner: 1 }, { rank: 1 }, { owner: 1, rank: 1 }]);
    const either = (at: number): Document => ({ $or: [{ owner: `owner-${at}` }, { rank: int(at) }] });
    const $and = Array.from({ length: 30 }, (_, at) => either(at));
    const began = performance.now();
    expect(plan({ $and }).scans).toHaveLength(2);
    expect(plan({ _id: int(1), $and }).scans).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it.each([
    ["conditions", listOf(20_000, (at) => ({ owner: { $ne: `owner-${at}` } })), 1],
    [
      "values in each of two lists",
      [0, 5900].map((from) => ({ owner: { $in: listOf(6000, (at) => int(from + at)) } })),
      100,
    ],
  ])("plans a query with thousands of %s in bounded time", (_, $and, ranges) => {
    const { plan } = prepare([{ owner: 1 }]);
    const began = performance.now();
    const { scans } = plan({ $and });
    expect(performance.now() - began).toBeLessThan(5000);
    expect(scans.map((scan) => scan.ranges.length)).toEqual([ranges]);
  });

  it("reads only a range of the next field, or the values of a list", () => {
    const { run } = prepare([{ owner: 1, rank: -1 }]);
    const ranged = run({ owner: "owner-3", rank: { $gte: int(5) } });
    expect(ranged.read).toBe(ranged.ids.length);
    const listed = run({ owner: { $in: ["owner-1", "owner-2"] }, rank: int(2) });
    expect(listed.read).toBe(listed.ids.length);
    expect(listed.ids.length).toBeGreaterThan(10);
  });

  it("starts a page after the values of two sort fields at the first of them", () => {
    const { run } = prepare([{ rank: 1, _id: 1 }]);
    const after = { $or: [{ rank: { $gt: int(5) } }, { rank: int(5), _id: { $gt: int(1990) } }] };
    const { ids, read } = run(after, { rank: int(1), _id: int(1) }, 3);
    expect(ids).toEqual([1993, 6, 13]);
    expect(read).toBeLessThan(8);
  });

  it("merges the values of a list in the order of the next field", () => {
    const { run, plan } = prepare([{ owner: 1, _id: 1 }]);
    const query = { owner: { $in: ["owner-3", "owner-1", "owner-1"] } };
    const { ids, read } = run(query, { _id: int(-1) }, 5);
    expect(ids).toEqual([1993, 1991, 1983, 1981, 1973]);
    expect(read).toBeLessThan(13);
    expect(plan(query, { owner: int(1), _id: int(1) })).toMatchObject({ sorted: true, scans: { length: 1 } });
    expect(plan(query, { rank: int(1) }).sorted).toBe(false);
  });

  it("finds documents by the field after a descending one whose key ends in ff", () => {
    const { engine, run } = prepare([{ owner: -1, rank: 1 }]);
    const collection = engine.catalog.find("test", "things") as Collection;
    const owner = new ObjectId("0123456789abcdef012345ff");
    engine.sqlite.unit(() => engine.documents.insert(undefined, collection, { _id: int(5000), owner, rank: int(1) }));
    expect(run({ owner, rank: int(1) })).toEqual({ ids: [5000], read: 1 });
    expect(run({ owner, rank: { $lt: int(2) } })).toEqual({ ids: [5000], read: 1 });
    expect(run({ owner, rank: { $lt: int(1) } })).toEqual({ ids: [], read: 0 });
  });

  it("finds the same documents as the matcher for ranges of NaN, null and numbers", () => {
    const values = [new Double(Number.NaN), new Double(Number.NEGATIVE_INFINITY), int(5), null, undefined, "text"];
    const conditions = values
      .slice(0, 4)
      .flatMap((value) => ["$eq", "$gt", "$gte", "$lt", "$lte"].map((operator) => ({ rank: { [operator]: value } })));
    const [indexed, plain] = [[{ rank: 1 }, { rank: -1 }], []].map((keys) => {
      const { engine, run } = prepare(keys);
      const collection = engine.catalog.find("test", "things") as Collection;
      engine.sqlite.unit(() =>
        values.forEach((rank, at) => engine.documents.insert(undefined, collection, { _id: int(3000 + at), rank })),
      );
      return conditions.map((condition) => run(condition).ids.sort((left, right) => left - right));
    });
    expect(indexed).toEqual(plain);
    expect(plain?.map(({ length }) => length)).toContain(1);
  });

  it("finds a document by its _id in the same time, whether its transaction has changed few or many others", () => {
    const { engine, collection } = prepare([]);
    const transaction = engine.transactions.begin();
    const find = (id: number): Document | undefined => {
      const query = { filter: parseFilter({ _id: int(id) }), sort: [], skip: 0, limit: 1 };
      return [...engine.query(transaction, collection, query)].find((each) => each !== undefined)?.document();
    };
    const insert = (from: number, to: number): void =>
      engine.sqlite.unit(() => {
        for (let at = from; at < to; at++)
          engine.documents.insert(transaction, collection, { _id: int(at), rank: int(9) });
      });
    /** Returns the time that some queries take when nothing else runs. */
    const measure = (id: number): number => {
      const times = listOf(8, () => {
        const began = performance.now();
        for (let at = 0; at < 20; at++) expect(find(id)).toEqual({ _id: int(id), rank: int(9) });
        return performance.now() - began;
      });
      return Math.min(...times);
    };
    insert(10_000, 10_010);
    measure(10_005);
    const few = measure(10_005);
    insert(10_010, 20_000);
    expect(measure(19_999) / few).toBeLessThan(10);
  });

  it("combines indexes for the branches of $or", () => {
    const { run, plan } = prepare([{ owner: 1 }]);
    expect(plan({ $or: [{ owner: "owner-1" }, { _id: int(5) }] }).scans).toHaveLength(2);
    const { ids, read } = run({ $or: [{ owner: "owner-1" }, { _id: int(5) }, { _id: int(11) }] });
    expect(ids).toHaveLength(201);
    expect(read).toBe(202);
  });
});

describe("compileFilter", () => {
  it("tries each array once for each place in a path of positions, however often they are nested", () => {
    const levels = 80;
    let value: unknown = "wanted";
    for (let level = 0; level < levels; level += 1) value = [{ 0: value }];
    const matches = (places: number, wanted: string): boolean =>
      compileFilter(parseFilter({ [["a", ...listOf(places, () => "0")].join(".")]: wanted }))({ a: value });
    expect(matches(levels * 2, "wanted")).toBe(true);
    expect(matches(levels * 1.5, "wanted")).toBe(true);
    expect(matches(levels * 1.5, "other")).toBe(false);
    expect(matches(levels * 2 + 1, "wanted")).toBe(false);
  });
});

describe("planQuery", () => {
  it("uses a partial index only for queries with the conditions of its filter", () => {
    const { plan } = prepare([{ owner: 1 }], { partialFilterExpression: { live: true, rank: { $gte: int(3) } } });
    const used = (filter: Document): boolean => plan(filter).scans[0]?.index !== undefined;
    const rank = { $gte: int(3) };
    expect(used({ owner: "a" })).toBe(false);
    expect(used({ owner: "a", live: true, rank })).toBe(true);
    expect(used({ owner: "a", live: false, rank })).toBe(false);
    expect(used({ owner: "a", live: true, rank: { $gte: int(2) } })).toBe(false);
    expect(used({ owner: "a", live: true, rank: int(3) })).toBe(false);
  });

  it("uses a sparse index only if the field must exist", () => {
    const { plan } = prepare([{ owner: 1 }], { sparse: true });
    expect(plan({ owner: null }).scans[0]?.index).toBeUndefined();
    expect(plan({}, { owner: int(1) }).sorted).toBe(false);
    expect(plan({ owner: "a" }).scans[0]?.index).toBeDefined();
  });

  it("does not combine two conditions on a field that holds arrays", () => {
    const { engine, plan } = prepare([{ rank: 1 }]);
    const ranges = (): number | undefined => plan({ rank: { $gt: int(1), $lt: int(0) } }).scans[0]?.ranges.length;
    expect(ranges()).toBe(0);
    const collection = engine.catalog.find("test", "things") as Collection;
    engine.sqlite.unit(() => engine.documents.insert(undefined, collection, { _id: "array", rank: [int(-1), int(9)] }));
    expect(ranges()).toBe(1);
  });
});
