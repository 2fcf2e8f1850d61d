import { Int32 } from "bson";
import { Engine } from "../engine.ts";
import { getConditions, getConstraint } from "../query/bounds.ts";
import { parseFilter } from "../query/filter.ts";
import { compileFilter } from "../query/matcher.ts";
import { createRandom } from "../testing/random.ts";
import { encode, type Document } from "../values/values.ts";
import { Differences, type Version } from "./differences.ts";

const int = (value: number): Int32 => new Int32(value);

const toVersion = (document: Document): Version => ({ body: encode(document), document: () => document });

const find = (differences: Differences, filter: Document): number[] => [
  ...differences.records(getConditions(parseFilter(filter)).flatMap((each) => getConstraint(each) ?? [])),
];

describe("the differences that a transaction sees", () => {
  it("are looked up by the values of the field that restricts them most", () => {
    const differences = new Differences(0);
    const change = (record: number, owner: string): void =>
      differences.set(record, toVersion({ _id: int(record), owner, tags: ["all", `tag-${record}`] }));
    for (let record = 1; record <= 500; record += 1) change(record, `owner-${record % 50}`);
    expect(find(differences, {})).toHaveLength(500);
    expect(find(differences, { owner: { $gt: "owner-5" } })).toHaveLength(500);
    expect(find(differences, { owner: "owner-7" })).toEqual([7, 57, 107, 157, 207, 257, 307, 357, 407, 457]);
    expect(find(differences, { owner: "owner-7", tags: "all" })).toHaveLength(10);
    expect(find(differences, { owner: "owner-7", tags: "tag-57" })).toEqual([57]);
    expect(find(differences, { tags: { $in: ["tag-3", "tag-4", "tag-5000"] } })).toEqual([3, 4]);
    expect(find(differences, { _id: int(9) })).toEqual([9]);
    change(9, "owner-7");
    change(600, "owner-7");
    differences.set(57, undefined);
    expect(find(differences, { owner: "owner-7" })).toEqual(expect.arrayContaining([7, 9, 600]));
    expect(find(differences, { tags: "tag-600" })).toEqual([600]);
  });

  it("are at least those that match, whatever the values and the paths", () => {
    const random = createRandom(7);
    const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const value = (depth = 0): unknown => {
      if (depth > 2 || random() < 0.5) return one<unknown>([int(0), int(1), null, "a", "0"]);
      const children = Array.from({ length: Math.floor(random() * 3) }, () => value(depth + 1));
      return random() < 0.5 ? children : Object.fromEntries(children.map((child) => [one(["a", "b", "0"]), child]));
    };
    const paths = ["a", "b", "a.a", "a.b", "a.0", "b.0.a", "0.a", "_id"];
    let matching = 0;
    for (let round = 0; round < 300; round += 1) {
      const differences = new Differences(0);
      const documents = new Map<number, Document>();
      const change = (record: number): void => {
        const document = { _id: int(record), a: value(), b: value() };
        documents.set(record, document);
        differences.set(record, toVersion(document));
      };
      for (let record = 0; record < 8; record += 1) change(record);
      for (let query = 0; query < 6; query += 1) {
        const condition = random() < 0.3 ? { $in: [value(), value()] } : value();
        const filter = { [one(paths)]: condition, ...(random() < 0.3 && { [one(paths)]: value() }) };
        const matches = compileFilter(parseFilter(filter));
        const wanted = [...documents].flatMap(([record, document]) => (matches(document) ? [record] : []));
        expect(find(differences, filter)).toEqual(expect.arrayContaining(wanted));
        matching += wanted.length;
        change(Math.floor(random() * 10));
      }
    }
    expect(matching).toBeGreaterThan(500);
  });

  it("are not read one by one for each statement of a transaction that changes many documents", () => {
    const engine = new Engine(":memory:");
    const count = 300;
    const collection = engine.sqlite.unit(() => engine.catalog.create("test", "things"));
    const transaction = engine.transactions.begin();
    let decoded = 0;
    for (let record = 1; record <= count; record += 1) {
      const document = { _id: int(record), name: `name-${record}` };
      const version = { body: encode(document), document: () => ((decoded += 1), document) };
      engine.transactions.hold(transaction, { collection, record, before: undefined, after: version }, new Map());
    }
    for (let record = 1; record <= count; record += 1) {
      const query = { filter: parseFilter({ name: `name-${record}` }), sort: [], skip: 0, limit: 1 };
      const [found] = [...engine.query(transaction, collection, query)].filter((row) => row !== undefined);
      expect(found?.document()).toEqual({ _id: int(record), name: `name-${record}` });
    }
    expect(decoded).toBeLessThan(5 * count);
  });
});
