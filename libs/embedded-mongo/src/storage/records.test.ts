import { Int32 } from "bson";
import { Engine } from "../engine.ts";
import { planQuery } from "../query/planner.ts";
import { parseFilter } from "../query/filter.ts";
import type { Collection } from "./catalog.ts";

const toId = (value: number): Int32 => new Int32(value);

/** Creates a collection of `count` documents, and a function that scans those from an _id on and returns their number. */
function prepare(count: number) {
  const engine = new Engine(":memory:");
  let collection!: Collection;
  const insert = (id: number): void =>
    engine.sqlite.unit(() => engine.documents.insert(undefined, collection, { _id: toId(id) }));
  engine.sqlite.unit(() => {
    collection = engine.catalog.create("test", "things");
  });
  for (let id = 0; id < count; id += 1) insert(id);
  return {
    insert,
    scan(from: number, onRow: () => void = () => undefined): { rows: number; statements: number } {
      const [scan] = planQuery(collection.indexes, parseFilter({ _id: { $gte: toId(from) } }), []).scans;
      if (scan === undefined) throw new Error("There is no scan");
      const statement = vi.spyOn(engine.sqlite, "statement");
      let rows = 0;
      for (const _ of engine.records.scan(collection, scan)) {
        rows += 1;
        onRow();
      }
      const statements = statement.mock.calls.filter(([sql]) => sql.includes("SELECT")).length;
      statement.mockRestore();
      return { rows, statements };
    },
  };
}

describe("a scan", () => {
  it("reads a range with one statement if it fits on a page, and otherwise in growing pages", () => {
    const { scan } = prepare(100);
    expect(scan(99)).toEqual({ rows: 1, statements: 1 });
    expect(scan(100)).toEqual({ rows: 0, statements: 1 });
    expect(scan(85)).toEqual({ rows: 15, statements: 1 });
    // 16 and 64 rows are full pages, which others may follow.
    expect(scan(84)).toEqual({ rows: 16, statements: 2 });
    expect(scan(0)).toEqual({ rows: 100, statements: 3 });
  });

  it("finds what was added behind its rows while they were used", () => {
    const { scan, insert } = prepare(5);
    let next = 5;
    const found = scan(3, () => {
      if (next < 7) insert(next++);
    });
    expect(found.rows).toBe(4);
  });
});
