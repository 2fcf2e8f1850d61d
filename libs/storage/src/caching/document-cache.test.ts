import { maxIdsPerLoad } from "../lists/id-parts.ts";
import { createDocumentCache, createPassingCache } from "./document-cache.ts";

interface Stored {
  _id: string;
  names: string[];
}

/** A collection that counts how often each document is read. */
function createCollection(...ids: string[]) {
  const stored = new Map(ids.map((id) => [id, { _id: id, names: ["a"] }]));
  const reads: string[] = [];
  return {
    stored,
    reads,
    load: async (wanted: readonly string[]): Promise<Stored[]> => {
      reads.push(wanted.join(" "));
      return Promise.resolve(wanted.flatMap((id) => stored.get(id) ?? []));
    },
  };
}

describe("the cache of documents", () => {
  it("reads every document once, including those that do not exist", async () => {
    const cache = createDocumentCache();
    const { load, reads } = createCollection("1", "2");
    expect((await cache.find("models", ["1", "none", "1"], load)).map(({ _id }) => _id)).toEqual(["1"]);
    expect((await cache.find("models", ["none", "2", "1"], load)).map(({ _id }) => _id)).toEqual(["1", "2"]);
    expect(await cache.find("models", ["none"], load)).toEqual([]);
    expect(await cache.find("models", [], load)).toEqual([]);
    expect(reads).toEqual(["1 none", "2"]);
  });

  it.each([createDocumentCache, createPassingCache])("reads many documents in parts", async (createCache) => {
    const ids = Array.from({ length: 2 * maxIdsPerLoad + 1 }, (_, at) => String(at));
    const { load, reads } = createCollection(...ids);
    expect((await createCache().find("models", ids, load)).map(({ _id }) => _id)).toEqual(ids);
    expect(reads.map((each) => each.split(" ").length)).toEqual([maxIdsPerLoad, maxIdsPerLoad, 1]);
  });

  it("keeps the collections apart", async () => {
    const cache = createDocumentCache();
    const [models, schemas] = [createCollection("1"), createCollection()];
    expect(await cache.find("models", ["1"], models.load)).toHaveLength(1);
    expect(await cache.find("schemas", ["1"], schemas.load)).toEqual([]);
  });

  it("keeps the results of queries, in their order", async () => {
    const cache = createDocumentCache();
    const { load, reads } = createCollection("1", "2", "3");
    const list = (query: object, ids: string[]) => cache.list("models", query, () => load(ids));
    for (let time = 0; time < 2; time += 1) {
      expect((await list({ projectId: "a" }, ["2", "1"])).map(({ _id }) => _id)).toEqual(["2", "1"]);
      expect((await list({ projectId: "b" }, ["3"])).map(({ _id }) => _id)).toEqual(["3"]);
      expect(await list({ projectId: "a", limit: 1 }, [])).toEqual([]);
    }
    expect(reads).toEqual(["2 1", "3", ""]);
    await cache.clear();
    expect((await list({ projectId: "a" }, ["3", "2"])).map(({ _id }) => _id)).toEqual(["3", "2"]);
  });

  it("does not keep the result of a query that ran while something was written", async () => {
    const cache = createDocumentCache();
    const { load } = createCollection("1", "2");
    const before = await cache.list("models", {}, async () => {
      await cache.clear();
      return load(["1"]);
    });
    expect(before).toHaveLength(1);
    expect(await cache.list("models", {}, () => load(["1", "2"]))).toHaveLength(2);
  });

  it("reads again after a write", async () => {
    const cache = createDocumentCache();
    const { load, stored } = createCollection("1");
    await cache.find("models", ["1", "2"], load);
    stored.set("1", { _id: "1", names: ["b"] }).set("2", { _id: "2", names: [] });
    await cache.clear();
    expect(await cache.find("models", ["1", "2"], load)).toEqual([...stored.values()]);
  });

  it("does not keep what was read while something was written", async () => {
    const cache = createDocumentCache();
    const { load, stored } = createCollection("1");
    let proceed = (): void => undefined;
    const written = new Promise<void>((resolve) => (proceed = resolve));
    const reading = cache.find("models", ["1"], async (ids) => {
      const found = await load(ids);
      await written;
      return found;
    });
    stored.set("1", { _id: "1", names: ["b"] });
    await cache.clear();
    proceed();
    expect((await reading)[0]?.names).toEqual(["a"]);
    expect((await cache.find("models", ["1"], load))[0]?.names).toEqual(["b"]);
  });

  it("returns documents that nobody can change", async () => {
    const cache = createDocumentCache();
    const { load } = createCollection("1");
    for (let time = 0; time < 2; time += 1) {
      const [found] = await cache.find("models", ["1"], load);
      expect(() => found?.names.push("b")).toThrow(TypeError);
    }
  });
});

describe("no cache", () => {
  it("reads every document each time", async () => {
    const cache = createPassingCache();
    const { load, reads } = createCollection("1");
    await cache.find("models", ["1", "1"], load);
    await cache.find("models", ["1"], load);
    await cache.find("models", [], load);
    await cache.list("models", {}, () => load(["1"]));
    await cache.list("models", {}, () => load(["1"]));
    expect(reads).toEqual(["1", "1", "1", "1"]);
  });
});
