import { insertClassifiers } from "@switchyard/classifier/testing";
import type { BulkTarget } from "@switchyard/classifier/testing";
import { setTimeout as sleep } from "node:timers/promises";
import type { SystemShape } from "../../system.ts";
import { startWatchedServices } from "../testing/watched-services.ts";
import type { WatchedServices } from "../testing/watched-services.ts";

/** Section 4.3: the cost of listing 2,000 classifiers with 10 routes each. */
export function costOfListingSuite(shape: SystemShape): void {
  let system: WatchedServices;
  /** A service in its own process also queries its database in the background. In this process it only answers calls. */
  const isOfListing = (query: string) =>
    shape === "one process" || /^(classifiers|models|deployments|projects|schemas)\./.test(query);
  const calls: string[] = [];
  const filled: { projectId: string; count: number }[] = [];

  beforeAll(async () => {
    system = await startWatchedServices(shape, (next) => (request) => {
      // The change feed is subscribed to again after a lost connection, which no listing causes.
      if (request.method.name !== "WatchChanges") calls.push(request.method.name);
      return next(request);
    });
    for (const count of [20, 2_000]) {
      const { id: projectId } = await system.identity.createProject({ name: `${count}` }, await system.as());
      const targets: BulkTarget[] = [];
      for (let each = 0; each < 10; each += 1) {
        const content = { tables: [{ slug: "t", isPrimary: true }], columns: [{ slug: "a" }] };
        const request = { projectId, name: `Model ${each}`, ...content };
        targets.push({ modelId: (await system.models.createModel(request, await system.as())).id, projectId });
      }
      const { organizationId } = await system.caller();
      const kinds = [projectId, null].map((owner) => ({ organizationId, projectId: owner, targets }));
      await insertClassifiers(system.uri, kinds, count);
      filled.push({ projectId, count });
    }
  });
  afterAll(() => system?.close());

  /** Lists the classifiers of a project; returns the queries that this made, and in how many seconds, rounded up. */
  async function getCost({ projectId, count }: { projectId: string; count: number }, limit?: number) {
    const options = await system.as();
    // What is cached is read again after a second.
    await sleep(1_100);
    calls.length = 0;
    const before = system.queries().length;
    const request = { projectId, ...(limit === undefined ? {} : { limit }) };
    const startedAt = performance.now();
    const { classifiers } = await system.classifiers.listClassifiers(request, options);
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(classifiers).toHaveLength(limit ?? count);
    expect(classifiers.every(({ routes }) => routes.length === 10 && routes[0]?.model?.name === "Model 0")).toBe(true);
    expect(calls.toSorted()).toEqual(["ResolveProjects", "ResolveTargets"]);
    return { queries: system.queries().slice(before).filter(isOfListing).toSorted(), seconds };
  }

  // The first response to a query has at most 101 documents. MongoDB's second one has the rest, but the embedded store's have 1 MiB each.
  const maxFurther = process.env["MONGOD_BINARY"] === undefined ? 10 : 1;
  /** The queries that a listing makes, each once: what is cached is read again by a listing that takes longer than a second. */
  const distinct = (queries: readonly string[]) =>
    [...new Set(queries)].filter((query) => query !== "classifiers.getMore");
  const maxQueries = 9;

  it.each([
    ["without a limit", undefined],
    ["with a limit of 20", 20],
  ])("%s makes two calls, and as many queries as listing 20", async (_name, limit) => {
    let ofFew: string[] = [];
    let ofMany: string[] = [];
    // On a busy machine a listing takes longer than a second, and what is cached is read again in each.
    let isWithin = false;
    // The driver repeats a read over a new connection if it gave one up while this process, the relay, was busy.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const costs = [];
      for (const project of filled) costs.push(await getCost(project, limit));
      [ofFew = [], ofMany = []] = costs.map(({ queries }) => queries);
      const [few, many] = costs.map(({ queries, seconds }) => queries.length - maxQueries * seconds);
      isWithin = (few ?? 1) <= 0 && (many ?? 1) <= maxFurther;
      if (distinct(ofMany).join() === distinct(ofFew).join() && isWithin) break;
    }
    expect(distinct(ofMany)).toEqual(distinct(ofFew));
    expect(ofFew.filter((query) => query === "classifiers.find")).toHaveLength(1);
    expect([isWithin, ofFew, ofMany]).toEqual([true, ofFew, ofMany]);
  });
}
