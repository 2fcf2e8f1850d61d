import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { problem, unavailable } from "@switchyard/rpc";
import { MAX_FILES } from "../../domain/engines/local/learning/learn.ts";
import type { LearnerJob, LearnerResult } from "./learner-worker.ts";
import { createLearning } from "./learning.ts";

const configuration = create(ConfigurationSchema);
const model = { projectId: "prj_1", modelId: "mdl_1" };
const checkIntervalMs = 1_000;
const pauseMs = 60_000;
const crashed: LearnerResult = { error: "The thread crashed." };

function toRecord(index: number, modelId = "mdl_1") {
  return { projectId: "prj_1", fileId: `fil_${index}`, modelId, revision: "1" };
}

/** Learning from 20 accepted files with a learner whose jobs are recorded, and fail as long as `fail` says so. */
function givenLearning() {
  const given = {
    records: Array.from({ length: 20 }, (_, index) => toRecord(index)),
    time: 0,
    now: () => given.time,
    jobs: [] as LearnerJob[],
    warnings: [] as unknown[],
    fail: (_job: LearnerJob): LearnerResult | Promise<LearnerResult> | undefined => undefined,
    getText: (_fileId: string): Promise<unknown> => Promise.resolve({ text: new Uint8Array(), problem: null }),
  };
  const learning = createLearning({
    accepted: {
      newest: (query: { modelId: string; limit: number }) =>
        Promise.resolve(given.records.filter(({ modelId }) => modelId === query.modelId).slice(-query.limit)),
      list: ({ fileIds }: { fileIds: string[] }) =>
        Promise.resolve(given.records.filter(({ fileId }) => fileIds.includes(fileId))),
      revision: () => Promise.resolve([]),
    },
    loadConfiguration: () => Promise.resolve(null),
    files: {
      listOfProject: (_id: string, ids: string[]) => Promise.resolve(ids.map((_id) => ({ _id, sha256: _id }))),
    },
    textCache: { get: ({ _id }: { _id: string }) => given.getText(_id) },
    learner: {
      run: (job: LearnerJob) => {
        given.jobs.push(job);
        // Examples name their file.
        const packed = job.kind === "describe" ? Buffer.from(job.id) : new Uint8Array(1);
        return new Promise((resolve) => resolve(given.fail(job) ?? { packed, issuer: null }));
      },
      close: () => Promise.resolve(),
    },
    now: () => given.now(),
    settings: { checkIntervalMs, idleMs: 3_600_000, firstWaitMs: 5_000, maxModels: 10, maxBytes: 100_000 },
    logger: { warn: (facts: unknown) => given.warnings.push(facts) },
    exclusive: true,
  } as never);
  const without = () => learning.without({ _id: "fil_1", sha256: "fil_1" }, model, configuration);
  return {
    given,
    learning,
    without,
    getState: () => learning.current(model, configuration),
    /** Returns the state after a check of the accepted files that takes place when a time has passed. */
    async getStateAfter(ms: number) {
      given.time += ms;
      await without();
      return learning.current(model, configuration);
    },
    /** Counts the jobs that learned from a number of files. */
    countJobs: (files: number) =>
      given.jobs.filter((job) => job.kind === "learn" && job.examples.length === files).length,
  };
}

describe("what a model learned", () => {
  it("is kept if learning fails, and is learned again after a pause, however many files are accepted meanwhile", async () => {
    const { given, getState, getStateAfter, countJobs } = givenLearning();
    const before = await getState();
    expect(before?.learnedFrom).toBe(20);
    given.fail = (job) => (job.kind === "learn" ? crashed : undefined);
    given.records.push(toRecord(20));
    expect(await getStateAfter(checkIntervalMs)).toEqual(before);
    expect(given.warnings).toContainEqual({ modelId: "mdl_1", learnedFrom: 21, err: "The thread crashed." });
    given.fail = () => undefined;
    given.records.push(toRecord(21));
    expect(await getStateAfter(pauseMs - 1)).toEqual(before);
    expect([countJobs(21), countJobs(22)]).toEqual([1, 0]);
    expect((await getStateAfter(checkIntervalMs))?.learnedFrom).toBe(22);
  });

  it("is learned after a pause if learning failed at first", async () => {
    const { given, getState, getStateAfter } = givenLearning();
    given.fail = (job) => (job.kind === "learn" ? crashed : undefined);
    expect(await getState()).toBeNull();
    given.fail = () => undefined;
    expect(await getStateAfter(pauseMs - 1)).toBeNull();
    expect((await getStateAfter(checkIntervalMs))?.learnedFrom).toBe(20);
  });

  it("is learned after a pause without a change or an extraction, even if nothing was accepted for long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { given, learning, getState } = givenLearning();
      given.now = () => performance.now();
      learning.start();
      await vi.advanceTimersByTimeAsync(30 * 60_000);
      given.fail = (job) => (job.kind === "learn" ? crashed : undefined);
      expect(await getState()).toBeNull();
      given.fail = () => undefined;
      await vi.advanceTimersByTimeAsync(2 * pauseMs);
      expect((await getState())?.learnedFrom).toBe(20);
      await learning.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it("is learned again after ten times the time that a failed attempt took, so that others can learn", async () => {
    const { given, getState, getStateAfter, countJobs } = givenLearning();
    given.fail = (job) => {
      if (job.kind !== "learn" || job.examples.length < 20) return undefined;
      given.time += 60_000;
      return { error: "It took too long." };
    };
    await getState();
    await getStateAfter(10 * 60_000 - 1);
    expect(countJobs(20)).toBe(1);
    await getStateAfter(checkIntervalMs);
    expect(countJobs(20)).toBe(2);
  });

  it("is not used for long after values were removed if it cannot be learned without them", async () => {
    const { given, without, getState, getStateAfter, countJobs } = givenLearning();
    const before = await getState();
    given.fail = (job) => (job.kind === "learn" ? crashed : undefined);
    given.records.push(toRecord(20));
    expect(await getStateAfter(checkIntervalMs)).toEqual(before);
    given.fail = (job) => (job.kind === "learn" && job.examples.length === 20 ? crashed : undefined);
    given.jobs = [];
    given.records = given.records.filter(({ fileId }) => fileId !== "fil_3");
    // The removal is noticed during the pause. Another attempt, at once, fails too.
    expect(await getStateAfter(checkIntervalMs)).toEqual(before);
    expect(await getStateAfter(checkIntervalMs)).toEqual(before);
    expect(countJobs(20)).toBe(1);
    expect((await without()).state).not.toBeNull();
    given.fail = () => undefined;
    const examples = given.jobs.flatMap((job) => (job.kind === "learn" ? job.examples.map(String) : []));
    expect(examples).toContain("fil_4");
    expect(examples).not.toContain("fil_3");
    given.time += 6_000;
    expect(await getState()).toBeNull();
    expect((await getStateAfter(pauseMs))?.learnedFrom).toBe(20);
  });

  it("is learned again at once if values were removed, even after a failure", async () => {
    const { given, getState, getStateAfter } = givenLearning();
    await getState();
    given.fail = (job) => (job.kind === "learn" ? crashed : undefined);
    given.records.push(toRecord(20));
    await getStateAfter(checkIntervalMs);
    given.fail = () => undefined;
    given.records[3] = { ...toRecord(3), revision: "2" };
    expect((await getStateAfter(checkIntervalMs))?.learnedFrom).toBe(21);
  });
});

describe("values that are removed", () => {
  it("are noticed although another model is learning", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { given, learning, getState } = givenLearning();
      given.now = () => performance.now();
      learning.start();
      await getState();
      given.records.push(toRecord(20, "mdl_2"));
      let finish: (result: LearnerResult) => void = () => undefined;
      given.fail = (job) =>
        job.kind === "describe" && job.id === "fil_20" ? new Promise((resolve) => (finish = resolve)) : undefined;
      const other = learning.current({ ...model, modelId: "mdl_2" }, configuration);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await other).toBeNull();
      given.records.shift();
      learning.touch(model);
      await vi.advanceTimersByTimeAsync(2 * checkIntervalMs);
      expect((await getState())?.learnedFrom).toBe(19);
      finish(crashed);
      await learning.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it("are noticed although files of the same model are being described", async () => {
    const { given, getState, getStateAfter, countJobs } = givenLearning();
    await getState();
    given.records.push(...Array.from({ length: 10 }, (_, index) => toRecord(20 + index)));
    given.fail = (job) => {
      if (job.kind === "describe") given.time += 400;
      if (job.kind === "describe" && job.id === "fil_21") given.records.splice(3, 1);
      return undefined;
    };
    expect((await getStateAfter(checkIntervalMs))?.learnedFrom).toBe(29);
    const examples = given.jobs.flatMap((job) => (job.kind === "learn" ? [job.examples.map(String)] : []));
    expect(examples.find(({ length }) => length === 29)).not.toContain("fil_3");
    expect(countJobs(30)).toBe(0);
    // Each file was described once.
    expect(given.jobs.filter(({ kind }) => kind === "describe")).toHaveLength(30);
  });

  it("are not those of files that teach no more because there are so many later ones", async () => {
    const { given, getState, getStateAfter } = givenLearning();
    given.records = Array.from({ length: MAX_FILES }, (_, index) => toRecord(index));
    const before = await getState();
    expect(before?.learnedFrom).toBe(MAX_FILES);
    given.fail = (job) => (job.kind === "learn" ? crashed : undefined);
    given.records.push(toRecord(MAX_FILES));
    expect(await getStateAfter(checkIntervalMs)).toEqual(before);
    expect(await getStateAfter(10_000)).toEqual(before);
    given.records.shift();
    await getStateAfter(checkIntervalMs);
    expect(await getStateAfter(10_000)).toBeNull();
  });
});

describe("a file that could not be described", () => {
  it("teaches after a pause, and another version", async () => {
    const { given, getState, getStateAfter } = givenLearning();
    given.fail = (job) => (job.kind === "describe" && job.id === "fil_3" ? crashed : undefined);
    const before = await getState();
    expect(before?.learnedFrom).toBe(19);
    expect(given.warnings).toEqual([{ modelId: "mdl_1", fileId: "fil_3", err: "The thread crashed." }]);
    given.fail = () => undefined;
    expect(await getStateAfter(pauseMs - 1)).toEqual(before);
    const after = await getStateAfter(checkIntervalMs);
    expect(after?.learnedFrom).toBe(20);
    expect(after?.version).not.toBe(before?.version);
  });

  it("does not delay files that are accepted later, nor is the model learned again with each further attempt", async () => {
    const { given, getState, getStateAfter, countJobs } = givenLearning();
    const attempts = () => given.jobs.filter((job) => job.kind === "describe" && job.id === "fil_3").length;
    given.fail = (job) => (job.kind === "describe" && job.id === "fil_3" ? crashed : undefined);
    await getState();
    given.records.push(toRecord(20));
    expect((await getStateAfter(checkIntervalMs))?.learnedFrom).toBe(20);
    expect(attempts()).toBe(1);
    await getStateAfter(pauseMs);
    expect([attempts(), countJobs(20)]).toEqual([2, 1]);
  });
});

describe("a file whose bytes are damaged or deleted", () => {
  const errors = {
    fil_3: problem(Code.DataLoss, "FILE_CONTENT_DAMAGED", "The stored content is damaged."),
    fil_4: problem(Code.NotFound, "FILE_NOT_FOUND", "There is no such file."),
  };

  it("teaches nothing, and is not read again with each check, but the other files teach", async () => {
    const { given, getState, getStateAfter } = givenLearning();
    const read: string[] = [];
    const { getText } = given;
    given.getText = (fileId) => {
      read.push(fileId);
      return fileId in errors ? Promise.reject(errors[fileId as keyof typeof errors]) : getText(fileId);
    };
    expect((await getState())?.learnedFrom).toBe(18);
    await getStateAfter(checkIntervalMs);
    expect(read).toHaveLength(20);
    expect(given.warnings).toEqual([]);
  });

  it("is not confused with one that cannot be read at the moment: nothing is learned until it can be", async () => {
    const { given, getState, getStateAfter } = givenLearning();
    const { getText } = given;
    const error = unavailable("READER_UNAVAILABLE", "The document cannot be read at the moment.");
    given.getText = (fileId) => (fileId === "fil_3" ? Promise.reject(error) : getText(fileId));
    expect(await getState()).toBeNull();
    expect(given.warnings).toEqual([{ modelId: "mdl_1", err: error }]);
    given.getText = getText;
    expect((await getStateAfter(checkIntervalMs))?.learnedFrom).toBe(20);
  });
});

describe("what a model learned without a file", () => {
  const isFold = (job: LearnerJob) => job.kind === "learn" && job.examples.length < 20;

  it("is learned again at once if the learner did not start", async () => {
    const { given, without } = givenLearning();
    given.fail = (job) => {
      if (isFold(job)) throw new Error("the thread did not start");
      return undefined;
    };
    await expect(without()).rejects.toThrow("the thread did not start");
    given.fail = () => undefined;
    const { state, leftOut } = await without();
    expect(leftOut).toContain("fil_1");
    expect(state?.learnedFrom).toBe(given.records.length - leftOut.length);
  });

  it("is learned again after a pause if learning failed", async () => {
    const { given, without } = givenLearning();
    given.fail = (job) => (isFold(job) ? crashed : undefined);
    expect((await without()).state).toBeNull();
    given.fail = () => undefined;
    given.time += pauseMs - 1;
    expect((await without()).state).toBeNull();
    expect(given.jobs.filter(isFold)).toHaveLength(1);
    given.time += 1;
    const { state, leftOut } = await without();
    expect(state?.learnedFrom).toBe(given.records.length - leftOut.length);
  });
});
