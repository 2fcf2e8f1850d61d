import type { Collection, Document } from "mongodb";
import { getFailure, type SuiteContext } from "../context.suite.ts";

/** The contents of an explanation, whatever the shape of its plan. */
interface Explained {
  readonly stages: string[];
  /** The index scans as "name direction"; a lookup by _id is a scan of _id_. */
  readonly scans: string[];
  readonly returned: number;
  readonly keys: number;
  readonly documents: number;
}

/** Reads an explanation with executionStats. A real server may wrap the stages of a plan. */
function readExplained(explanation: Document): Explained {
  const stages: string[] = [];
  const scans: string[] = [];
  function walk(plan: Document): void {
    if (typeof plan["stage"] === "string") stages.push(plan["stage"]);
    if (plan["stage"] === "IDHACK") scans.push("_id_ forward");
    if (plan["stage"] === "COUNT_SCAN") scans.push(`${String(plan["indexName"])} forward`);
    if (plan["stage"] === "IXSCAN") scans.push(`${String(plan["indexName"])} ${String(plan["direction"])}`);
    const inner = [plan["queryPlan"], plan["inputStage"], ...((plan["inputStages"] as unknown[] | undefined) ?? [])];
    for (const each of inner) if (each !== undefined) walk(each as Document);
  }
  const { queryPlanner, executionStats } = explanation;
  walk(queryPlanner?.["winningPlan"] as Document);
  const { nReturned, totalKeysExamined, totalDocsExamined } = executionStats as Document;
  return {
    stages,
    scans,
    returned: nReturned as number,
    keys: totalKeysExamined as number,
    documents: totalDocsExamined as number,
  };
}

interface Case {
  readonly query: Document;
  readonly sort?: Document;
  readonly limit?: number;
  /** The index and its direction, the number of returned documents, and how many more keys may be examined. */
  readonly uses: string;
  readonly returns: number;
  readonly more: number;
}

/** Tests which index is used, and that no more is read than necessary: with 20,000 documents, or 100,000 in the long tests. */
export function describeIndexUse(context: SuiteContext): void {
  const total = process.env["SWITCHYARD_TEST_COUNTS"] === "long" ? 100_000 : 20_000;
  describe(`index use over ${total} documents`, () => {
    /** Each value occurs in a hundred documents. */
    const owners = total / 100;
    const ids = (count: number, make: (at: number) => number): number[] =>
      Array.from({ length: count }, (_, at) => make(at));
    let large: Collection<Document>;

    beforeAll(async () => {
      large = context.database().collection("large");
      await large.createIndex({ name: 1 }, { unique: true });
      await large.createIndex({ owner: 1, rank: -1 });
      await large.createIndex({ rank: 1 });
      await large.createIndex({ due: 1 }, { partialFilterExpression: { open: true } });
      await large.createIndex({ owner: 1, rank: -1, _id: 1 }, { partialFilterExpression: { last: true } });
      for (let from = 0; from < total; from += 10_000) {
        const documents = ids(10_000, (at) => from + at).map((at) => ({
          _id: at,
          name: `name-${at}`,
          owner: `owner-${at % owners}`,
          rank: at,
          due: total - at,
          open: at % owners === 7,
          last: at < 5 * owners,
        }));
        await large.insertMany(documents as unknown as Document[], { ordered: false });
      }
    });
    afterAll(async () => {
      await large.drop();
    });

    const cases: { readonly [name: string]: Case } = {
      "a document by its _id": { query: { _id: 4711 }, uses: "_id_ forward", returns: 1, more: 0 },
      "a document by a unique key": { query: { name: "name-4711" }, uses: "name_1 forward", returns: 1, more: 0 },
      "all documents with a value": {
        query: { owner: "owner-3" },
        uses: "owner_1_rank_-1 forward",
        returns: 100,
        more: 1,
      },
      "a value and a range of the next field": {
        query: { owner: "owner-3", rank: { $gte: total / 2, $lt: total / 2 + 10 * owners } },
        uses: "owner_1_rank_-1 forward",
        returns: 10,
        more: 1,
      },
      "a range with a limit": {
        query: { rank: { $gt: 500, $lt: total - 500 } },
        limit: 25,
        uses: "rank_1 forward",
        returns: 25,
        more: 1,
      },
      "the last documents of a sort with a limit": {
        query: {},
        sort: { rank: -1 },
        limit: 30,
        uses: "rank_1 backward",
        returns: 30,
        more: 1,
      },
      "the first documents with a value, sorted by the next field": {
        query: { owner: "owner-3" },
        sort: { rank: -1 },
        limit: 5,
        uses: "owner_1_rank_-1 forward",
        returns: 5,
        more: 1,
      },
      "the same documents in the opposite order": {
        query: { owner: "owner-3" },
        sort: { rank: 1 },
        limit: 5,
        uses: "owner_1_rank_-1 backward",
        returns: 5,
        more: 1,
      },
      "a page of _ids": {
        query: { _id: { $gt: total / 2 } },
        sort: { _id: 1 },
        limit: 20,
        uses: "_id_ forward",
        returns: 20,
        more: 1,
      },
      "documents in a partial index": {
        query: { open: true, due: { $lt: 10 * owners } },
        sort: { due: 1 },
        uses: "due_1 forward",
        returns: 10,
        more: 1,
      },
    };
    it("prefers the index with fewer documents if two have the same prefix", async () => {
      const cursor = large.find({ owner: "owner-3", last: true }, { sort: { rank: -1 }, limit: 5 });
      const explained = readExplained(await cursor.explain("executionStats"));
      expect(explained).toMatchObject({ returned: 5, scans: ["owner_1_rank_-1__id_1 forward"] });
      expect(explained.documents).toBeLessThanOrEqual(6);
    });

    for (const [name, { query, sort = {}, limit = 0, uses, returns, more }] of Object.entries(cases)) {
      it(`finds ${name} with the best index`, async () => {
        const cursor = large.find(query, { sort: sort as { _id: 1 }, limit });
        const explained = readExplained(await cursor.explain("executionStats"));
        expect(explained).toMatchObject({ scans: [uses], returned: returns });
        expect(explained.stages).not.toContain("SORT");
        expect(explained.keys).toBeLessThanOrEqual(returns + more);
        expect(explained.documents).toBeLessThanOrEqual(returns + more);
        expect(await large.find(query, { sort: sort as { _id: 1 }, limit }).toArray()).toHaveLength(returns);
      });
    }

    it("merges the values of $in and the branches of $or in the sort order", async () => {
      const values = { owner: { $in: ["owner-3", "owner-5"] } };
      const branches = { $or: [{ owner: "owner-3" }, { owner: "owner-5" }] };
      for (const query of [values, branches]) {
        const found = large.find(query, { sort: { rank: -1 }, limit: 6 });
        const explained = readExplained(await found.clone().explain("executionStats"));
        expect(new Set(explained.scans)).toEqual(new Set(["owner_1_rank_-1 forward"]));
        expect(explained.stages).not.toContain("SORT");
        expect(explained.keys).toBeLessThanOrEqual(20);
        const last = [1, 2, 3].flatMap((back) => [total - back * owners + 5, total - back * owners + 3]);
        expect((await found.toArray()).map(({ rank }) => rank as number)).toEqual(last);
      }
    });

    it("reports collection scans and sorts", async () => {
      const scanned = readExplained(await large.find({ open: true }).explain("executionStats"));
      expect(scanned).toMatchObject({ scans: [], returned: 100, keys: 0, documents: total });
      expect(scanned.stages).toContain("COLLSCAN");
      const sorted = readExplained(await large.find({ owner: "owner-3" }).sort({ due: 1 }).explain("executionStats"));
      expect(sorted).toMatchObject({ scans: ["owner_1_rank_-1 forward"], returned: 100, keys: 100, documents: 100 });
      expect(sorted.stages).toContain("SORT");
      const missing = await context.things().find({ a: 1 }).explain("executionStats");
      expect(readExplained(missing)).toMatchObject({ stages: ["EOF"], returned: 0, keys: 0, documents: 0 });
    });

    it("does not use a partial index for a query without its filter", async () => {
      const { scans } = readExplained(await large.find({ due: { $lt: 10 } }).explain("executionStats"));
      expect(scans).toEqual([]);
      expect(await large.countDocuments({ due: { $lt: 10 } })).toBe(9);
    });

    it("returns only the plan for queryPlanner, and rejects an invalid query", async () => {
      const command = { find: "large", filter: { owner: "owner-3" } };
      const planned = await context.database().command({ explain: command, verbosity: "queryPlanner" });
      expect(planned["queryPlanner"]).toBeDefined();
      expect(planned["executionStats"]).toBeUndefined();
      const malformed = { explain: { find: "large", filter: { a: { $in: 1 } } } };
      expect(await getFailure(context.database().command(malformed))).toMatchObject({ code: 2 });
    });

    const removal = { delete: "large", deletes: [{ q: { _id: 5 }, limit: 1 }] };
    const others: Document[] = [removal, { count: "large" }, { aggregate: "large", pipeline: [], cursor: {} }];
    context.differs("explains commands without executing them", "unsupported", {
      async real() {
        for (const command of others) expect(await context.database().command({ explain: command })).toBeDefined();
        expect(await large.countDocuments({ _id: 5 as never })).toBe(1);
      },
      async here() {
        for (const command of others) {
          expect(await getFailure(context.database().command({ explain: command }))).toMatchObject({ code: 238 });
        }
        expect(await large.countDocuments({ _id: 5 as never })).toBe(1);
      },
    });
  });
}
