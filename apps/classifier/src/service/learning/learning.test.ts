import { setTimeout as sleep } from "node:timers/promises";
import type { LabeledText } from "../../domain/learning/labeled-text.ts";
import { createLearningThread } from "../../learning/thread.ts";
import type { Learned, LearningJob } from "../../learning/worker.ts";
import { createScoringThread } from "../../scoring/thread.ts";
import type { ReviewedDocuments } from "../../store/reviews/reviewed-documents.ts";
import { classifier as createClassifierDocument, route } from "../../testing/documents.ts";
import { createKindText, createLabeledTexts } from "../../testing/labeled-texts.ts";
import type { Targets } from "../routes/targets.ts";
import { createLearning } from "./learning.ts";
import { createScorers, engineVersion } from "../classifications/scorers.ts";

const noTargets: Targets = { get: () => undefined };

/** Reviews that a test changes. */
function createReviews() {
  let texts: readonly LabeledText[] = [];
  let version = 0;
  const ofRoute = (wanted?: string | null) => texts.filter(({ routeId }) => wanted === undefined || routeId === wanted);
  const reviewed: Pick<ReviewedDocuments, "getVersion" | "count" | "listLatest"> = {
    getVersion: () => Promise.resolve(String(version)),
    count: (_, routeId) => Promise.resolve(ofRoute(routeId).length),
    async *listLatest(_, routeId, limit) {
      await sleep(0);
      yield* ofRoute(routeId).slice(-limit).reverse();
    },
  };
  return {
    reviewed,
    set(changed: readonly LabeledText[]) {
      texts = changed;
      version += 1;
    },
  };
}

describe("learning for measurements", () => {
  it("lets a classifier wait for one of them at most, however many there are", async () => {
    const jobs: { routes: number; end: () => void }[] = [];
    const thread = {
      learn: ({ routes }: LearningJob) =>
        new Promise<Learned>((resolve) => {
          jobs.push({ routes: routes.length, end: () => resolve({ state: undefined, hash: "" }) });
        }),
      close: () => Promise.resolve(),
    };
    const reviews = createReviews();
    reviews.set(createLabeledTexts({ weather: "a", baking: "b" }, 1));
    const learning = createLearning(reviews.reviewed, thread, {} as never, (error) => {
      throw error;
    });
    const [one, other] = ["a", "b"].map((id) => ({ id, name: id, description: "", columnLabels: [], examples: [id] }));
    const stopping = new AbortController();
    const measuring = Array.from({ length: 3 }, () => learning.learnFrom([one!], [], stopping.signal));
    await vi.waitFor(() => expect(jobs).toHaveLength(1));
    learning.find("clf_1", "1", () => Promise.resolve([one!, other!]));
    await vi.waitFor(() => expect(jobs.map(({ routes }) => routes)).toEqual([1, 2]));
    jobs[0]!.end();
    await vi.waitFor(() => expect(jobs).toHaveLength(3));
    stopping.abort();
    for (const { end } of jobs) end();
    expect(await Promise.allSettled(measuring)).toMatchObject([
      { status: "fulfilled", value: undefined },
      { status: "fulfilled", value: undefined },
      { status: "rejected", reason: { name: "AbortError" } },
    ]);
    expect(jobs).toHaveLength(3);
    await learning.close();
  });
});

describe("learning that fails", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** Returns a function that uses a classifier some time later, and returns how often it was tried to learn by then. */
  function createUse(reviews: ReturnType<typeof createReviews>, durationMs: number) {
    const failures: unknown[] = [];
    const thread = {
      learn: () => {
        vi.advanceTimersByTime(durationMs);
        return Promise.reject(new Error("The thread has ended."));
      },
      close: () => Promise.resolve(),
    };
    const learning = createLearning(reviews.reviewed, thread, {} as never, (error) => failures.push(error));
    let attempts = 0;
    const loadProfiles = () => {
      attempts += 1;
      return Promise.resolve([{ id: "a", name: "a", description: "", columnLabels: [], examples: ["text"] }]);
    };
    return async (afterMs: number) => {
      vi.advanceTimersByTime(afterMs);
      learning.find("clf_1", "1", loadProfiles);
      // Whether it is tried is decided before any timer.
      await sleep(0);
      // `expect.poll` would move the clock.
      while (failures.length < attempts) await sleep(1);
      return attempts;
    };
  }

  it("is tried again after pauses that double up to five minutes, and at once after another review", async () => {
    const reviews = createReviews();
    const use = createUse(reviews, 0);
    expect(await use(0)).toBe(1);
    expect(await use(1_001)).toBe(2);
    expect(await use(1_001)).toBe(2);
    expect(await use(1_001)).toBe(3);
    expect(await use(3_900)).toBe(3);
    expect(await use(1_001)).toBe(4);
    reviews.set([]);
    expect(await use(1_001)).toBe(5);
    expect(await use(1_001)).toBe(6);
    expect(await use(1_001)).toBe(6);
    for (let attempts = 7; attempts < 20; attempts++) expect(await use(300_001)).toBe(attempts);
    expect(await use(299_000)).toBe(19);
  });

  it("is tried again at once if what was learned before is lost", async () => {
    const reviews = createReviews();
    reviews.set(createLabeledTexts({ weather: "a", baking: "b" }, 1));
    let isBroken = false;
    const thread = {
      learn: (): Promise<Learned> =>
        isBroken ? Promise.reject(new Error("broken")) : Promise.resolve({ state: {} as never, hash: "0" }),
      close: () => Promise.resolve(),
    };
    const scoring = { addLearned: () => Promise.resolve(), removeLearned: () => Promise.resolve() };
    const failures: unknown[] = [];
    const learning = createLearning(reviews.reviewed, thread, scoring, (error) => failures.push(error));
    let attempts = 0;
    const find = () =>
      learning.find("clf_1", "1", () => {
        attempts += 1;
        return Promise.resolve([{ id: "a", name: "a", description: "", columnLabels: [], examples: ["text"] }]);
      });
    const useUntil = async (holds: () => boolean): Promise<void> => {
      for (; !holds(); await sleep(1)) {
        vi.advanceTimersByTime(1_001);
        find();
      }
    };
    await useUntil(() => find() !== undefined);
    isBroken = true;
    reviews.set(createLabeledTexts({ weather: "a", baking: "b" }, 2));
    await useUntil(() => failures.length === 2);
    const before = attempts;
    learning.relearn("clf_1", find()!.key);
    await sleep(0);
    expect(attempts).toBe(before + 1);
    expect(find()).toBeUndefined();
    await learning.close();
  });

  it("is tried again after three times as long as it took", async () => {
    const use = createUse(createReviews(), 60_000);
    expect(await use(0)).toBe(1);
    expect(await use(179_000)).toBe(1);
    expect(await use(1_001)).toBe(2);
  });
});

describe("learning beside serving", () => {
  const failures: unknown[] = [];
  const reviews = createReviews();
  const classifier = createClassifierDocument("Inbox", "prj_a", [route("Type A"), route("Type B")]);
  const [a, b] = classifier.routes.map(({ id }) => id);

  /** Creates what a process of the service learns and scores with. */
  function createReplica() {
    const scoring = createScoringThread();
    const learning = createLearning(reviews.reviewed, createLearningThread(), scoring, (error) => failures.push(error));
    const scorers = createScorers({ getExamples: () => Promise.resolve(new Map()) }, scoring, learning);
    return {
      score: (text: string) => scorers.score(classifier, noTargets, text, true),
      async close() {
        await learning.close();
        await scoring.close();
      },
    };
  }

  const { score, close } = createReplica();
  afterAll(close);

  /** Scores until the condition holds, and returns what was scored then. */
  async function scoreUntil(
    text: string,
    holds: (scoring: Awaited<ReturnType<typeof score>>) => boolean,
    by: typeof score = score,
  ) {
    for (const deadline = performance.now() + 60_000; ; await sleep(100)) {
      const scored = await by(text);
      if (holds(scored)) return scored;
      if (performance.now() > deadline) throw new Error(`still ${JSON.stringify({ scored, failures })}`);
    }
  }

  it("answers as before until reviews were learned, and then with what was learned", async () => {
    const text = createKindText("weather", 90);
    expect(await score(text)).toMatchObject({ version: engineVersion, learnedFrom: 0 });
    const texts = createLabeledTexts({ weather: a!, baking: b! }, 5);
    reviews.set(texts);
    const learned = await scoreUntil(text, ({ learnedFrom }) => learnedFrom === 10);
    expect(learned.version).toMatch(/^\d+\+[0-9a-f]{12}$/);
    expect(learned.scores[0]!.score).toBeGreaterThan(learned.scores[1]!.score);
    expect(await score(text)).toEqual(learned);

    // Another replica decides in the same way.
    const elsewhere = createReplica();
    const there = await scoreUntil(text, ({ learnedFrom }) => learnedFrom === 10, elsewhere.score);
    expect(there).toEqual(learned);
    await elsewhere.close();

    reviews.set(texts.map((each) => ({ ...each, routeId: each.routeId === a ? b! : a! })));
    const swapped = await scoreUntil(text, ({ version }) => version !== learned.version);
    expect(swapped.scores[1]!.score).toBeGreaterThan(swapped.scores[0]!.score);

    reviews.set(texts);
    expect(await scoreUntil(text, ({ version }) => version === learned.version)).toEqual(learned);

    reviews.set([]);
    expect(await scoreUntil(text, ({ learnedFrom }) => learnedFrom === 0)).toMatchObject({ version: engineVersion });
    expect(failures).toEqual([]);
  });
});
