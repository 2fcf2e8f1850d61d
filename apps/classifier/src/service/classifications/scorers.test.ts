import { create } from "@bufbuild/protobuf";
import { ResolvedTargetSchema } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { setTimeout as sleep } from "node:timers/promises";
import { createRouteScorer } from "../../domain/scoring/scorer.ts";
import { createScoringThread } from "../../scoring/thread.ts";
import type { ScoringThread } from "../../scoring/thread.ts";
import type { ClassifierDocument } from "../../store/classifier-document.ts";
import { classifier as createClassifierDocument, route } from "../../testing/documents.ts";
import { createScorers, engineVersion } from "./scorers.ts";
import type { Scorers } from "./scorers.ts";
import type { Learning } from "../learning/learning.ts";
import type { Targets } from "../routes/targets.ts";

const text = "INVOICE\nInvoice number: 7\nAmount due 12.00\nold harbour";
const noLearning: Pick<Learning, "find" | "relearn"> = { find: () => undefined, relearn: () => undefined };
const noTargets: Targets = { get: () => undefined };

/** Wraps a real thread and records the routes that it reads and the scorers that it assembles. */
function observe(thread: ScoringThread) {
  const read: string[] = [];
  let assembled = 0;
  const observing: ScoringThread = {
    ...thread,
    read: (routes) => {
      read.push(...routes.map(({ profile }) => profile.name));
      return thread.read(routes);
    },
    assemble: (...args) => {
      assembled += 1;
      return thread.assemble(...args);
    },
  };
  return {
    thread: observing,
    /** Returns what was read and assembled since the last call. */
    takeCalls: () => {
      const calls = { read: read.splice(0), assembled };
      assembled = 0;
      return calls;
    },
  };
}

/** Returns a changed version of a classifier. */
function changed(classifier: ClassifierDocument, change: Partial<ClassifierDocument>): ClassifierDocument {
  return { ...classifier, ...change, updatedAt: new Date(classifier.updatedAt.getTime() + 1) };
}

describe("the scorers", () => {
  const threads: ScoringThread[] = [];
  const startThread = (): ScoringThread => {
    const thread = createScoringThread();
    threads.push(thread);
    return thread;
  };
  afterAll(() => Promise.all(threads.map((thread) => thread.close())));

  const names = Array.from({ length: 25 }, (_, index) => (index === 0 ? "Invoice" : `Kind ${index}`));
  const classifier = createClassifierDocument(
    "Inbox",
    "prj_a",
    names.map((name) => route(name)),
  );
  const examples = new Map(classifier.routes.map(({ id, name }) => [id, [`${name} of the old harbour`]]));
  let loads = 0;
  const store = {
    getExamples: async (_: string, routeIds: readonly string[] = [...examples.keys()]) => {
      loads += 1;
      return new Map(routeIds.map((id) => [id, examples.get(id) ?? []]));
    },
  };

  /** Returns the scores as computed in this thread. */
  function expected({ routes }: ClassifierDocument, columnLabels: readonly string[] = []) {
    const profiles = routes.map(({ id, name, description, modelId }) => {
      return { id, name, description, columnLabels, examples: examples.get(id) ?? [], group: modelId };
    });
    return { scores: createRouteScorer(profiles)(text), version: engineVersion, learnedFrom: 0 };
  }

  it("are built once for all waiting documents, and read only routes that have changed", async () => {
    const { thread, takeCalls } = observe(startThread());
    const scorers = createScorers(store, thread, noLearning);
    const results = await Promise.all(
      Array.from({ length: 20 }, () => scorers.score(classifier, noTargets, text, true)),
    );
    for (const result of results) expect(result).toEqual(expected(classifier));
    expect(takeCalls()).toEqual({ read: names, assembled: 1 });

    const [first, ...others] = classifier.routes;
    const renamed = changed(classifier, { routes: [{ ...first!, name: "Bill" }, ...others] });
    expect(await scorers.score(renamed, noTargets, text, true)).toEqual(expected(renamed));
    expect(takeCalls()).toEqual({ read: ["Bill"], assembled: 1 });

    const target = create(ResolvedTargetSchema, { model: { columnNames: ["Amount due"] } });
    const columns: Targets = { get: ({ modelId }) => (modelId === "Kind 3" ? target : undefined) };
    await scorers.score(renamed, columns, text, true);
    expect(takeCalls()).toEqual({ read: ["Kind 3"], assembled: 1 });

    const removed = changed(renamed, { routes: others });
    expect(await scorers.score(removed, noTargets, text, true)).toEqual(expected(removed));
    const settings = changed(removed, { description: "Not relevant for scores." });
    await scorers.score(settings, noTargets, text, true);
    expect(takeCalls().read).toEqual([]);

    const before = loads;
    await scorers.score(settings, noTargets, text, true);
    expect([loads, takeCalls()]).toEqual([before, { read: [], assembled: 0 }]);
  });

  it("are built again when the thread has lost them", async () => {
    let current = startThread();
    const thread: ScoringThread = {
      ...current,
      findMissing: (...args) => current.findMissing(...args),
      read: (...args) => current.read(...args),
      assemble: (...args) => current.assemble(...args),
      score: (...args) => current.score(...args),
      close: () => current.close(),
    };
    const scorers: Scorers = createScorers(store, thread, noLearning);
    expect(await scorers.score(classifier, noTargets, text, true)).toEqual(expected(classifier));
    await current.close();
    await expect(scorers.score(classifier, noTargets, text, true)).rejects.toThrow("cannot be scored at the moment");
    current = startThread();
    expect(await scorers.score(classifier, noTargets, text, true)).toEqual(expected(classifier));
    // The thread can also be replaced without an error, for example when it ran out of memory.
    current = startThread();
    expect(await scorers.score(classifier, noTargets, text, true)).toEqual(expected(classifier));
  });

  it("are built after an attempt in which the examples could not be loaded", async () => {
    let broken = true;
    const scorers = createScorers(
      {
        getExamples: (...args) => (broken ? Promise.reject(new Error("no store")) : store.getExamples(...args)),
      },
      startThread(),
      noLearning,
    );
    await expect(scorers.score(classifier, noTargets, text, true)).rejects.toThrow("no store");
    broken = false;
    expect(await scorers.score(classifier, noTargets, text, true)).toEqual(expected(classifier));
  });

  it("are prepared after an attempt in which the examples could not be loaded", async () => {
    let broken = true;
    const scorers = createScorers(
      { getExamples: (...args) => (broken ? Promise.reject(new Error("no store")) : store.getExamples(...args)) },
      startThread(),
      noLearning,
    );
    expect(await findUnhandled(() => scorers.prepare(classifier, noTargets), "no store")).toEqual([]);
    broken = false;
    const prepared = await scorers.prepare(classifier, noTargets);
    expect(prepared.profiles.map(({ name }) => name)).toEqual(names);
    expect(await prepared.score(undefined, text)).toEqual(
      expected(classifier).scores.map((each) => ({ ...each, evidence: [] })),
    );
  });

  it("fail to be prepared, and nothing else, if the thread fails while the examples are being loaded", async () => {
    const thread = startThread();
    await thread.close();
    let calls = 0;
    const getExamples: typeof store.getExamples = async (...args) => {
      calls += 1;
      // Those for the scorer are there at once, and the others after the thread has failed.
      if (calls > 1) await sleep(50);
      return store.getExamples(...args);
    };
    const scorers = createScorers({ getExamples }, thread, noLearning);
    const message = "cannot be scored at the moment";
    expect(await findUnhandled(() => scorers.prepare(classifier, noTargets), message)).toEqual([]);
    expect(calls).toBe(2);
  });
});

/** Expects work to fail with a message, and returns the rejections that nobody has handled meanwhile. */
async function findUnhandled(work: () => Promise<unknown>, message: string): Promise<string[]> {
  const unhandled: string[] = [];
  const note = (error: unknown): void => void unhandled.push(String(error));
  process.on("unhandledRejection", note);
  try {
    await expect(work()).rejects.toThrow(message);
    // Node.js reports them after the microtasks.
    await sleep(0);
  } finally {
    process.off("unhandledRejection", note);
  }
  return unhandled;
}
