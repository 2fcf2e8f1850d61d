import { create, toBinary } from "@bufbuild/protobuf";
import { ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { createSweep } from "@switchyard/storage";
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { engine } from "../../domain/engines/local/version.ts";
import { assignFolds } from "../../domain/accepted/folds.ts";
import { MAX_FILES } from "../../domain/engines/local/learning/learn.ts";
import type { AcceptedRecord, AcceptedStore } from "../../store/accepted.ts";
import type { FileRecord } from "../../store/files.ts";
import type { LearningSettings } from "../settings.ts";
import { dropRemoved, isDue, isPaused, toFileId, toName } from "./entry.ts";
import type { Entry, LearnedState, Taught, TaughtModel } from "./entry.ts";
import { getRetryTime } from "./learner.ts";
import { readLessons } from "./lessons.ts";
import type { Lesson, LessonDependencies } from "./lessons.ts";

/** Learns from accepted files beside serving, and keeps what was learned about the models in use in memory. */
export interface Learning {
  /**
   * Returns what is known about a model for a configuration; null if nothing is. It is at most a few seconds old. Waits only if nothing was
   * learned in this process yet, and then for a limited time.
   */
  current(model: TaughtModel, configuration: Configuration): Promise<LearnedState | null>;
  /**
   * Returns what the accepted files taught without those of the fold of a file, with the ids of the files that were left out. The file, its
   * copies, and files of the same issuer are in the same fold.
   */
  without(
    file: Pick<FileRecord, "_id" | "sha256">,
    model: TaughtModel,
    configuration: Configuration,
  ): Promise<{ state: LearnedState | null; leftOut: string[] }>;
  /** Reports that the accepted values of a model changed. */
  touch(model: TaughtModel): void;
  /** Forgets what the files of a deleted project taught. */
  forget(projectId: string): void;
  /** Starts looking for changes. */
  start(): void;
  stop(): Promise<void>;
}

/** The dependencies of learning. Times are in milliseconds. */
export interface LearningDependencies extends LessonDependencies {
  accepted: Pick<AcceptedStore, "revision" | "newest" | "list">;
  /** Returns the current configuration of a model; null if it has none. */
  loadConfiguration: (modelId: string) => Promise<Configuration | null>;
  /** Whether no other process uses the database, so that this one reports every change with `touch`. */
  exclusive: boolean;
  settings: LearningSettings;
}

/** Creates the learning of one process. */
export function createLearning(dependencies: LearningDependencies): Learning {
  const { accepted, exclusive, learner, loadConfiguration, logger, now, settings } = dependencies;
  const entries = new Map<string, Entry>();
  const stopping = new AbortController();
  const touched = new Map<string, TaughtModel>();
  const sweep = createSweep({
    intervalMs: settings.checkIntervalMs,
    idles: () => exclusive,
    onError: (error) => logger.warn({ err: error }, "learning failed"),
    work: check,
  });

  function getEntry({ projectId, modelId }: TaughtModel, configuration: Configuration): Entry {
    const schema = describeColumns(configuration);
    const key = `${modelId} ${schema}`;
    const known = entries.get(key);
    const entry: Entry = known ?? {
      projectId,
      modelId,
      configuration,
      schema,
      usedAt: 0,
      checkedAt: -Infinity,
      changes: 0,
      fingerprint: "",
      retryAt: Infinity,
      lessons: new Map(),
      state: null,
      taughtBy: [],
      expiresAt: Infinity,
      folds: new Map(),
      refreshing: undefined,
    };
    entry.usedAt = now();
    // The most recently used entry is the last one.
    entries.delete(key);
    entries.set(key, entry);
    evict();
    return entry;
  }

  function evict(): void {
    let bytes = 0;
    for (const entry of entries.values())
      for (const { examples } of entry.lessons.values()) bytes += examples?.length ?? 0;
    for (const [key, entry] of entries) {
      if (entries.size <= 1 || (entries.size <= settings.maxModels && bytes <= settings.maxBytes)) return;
      entries.delete(key);
      for (const { examples } of entry.lessons.values()) bytes -= examples?.length ?? 0;
    }
  }

  function refresh(entry: Entry): Promise<void> {
    entry.refreshing ??= relearn(entry)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) logger.warn({ modelId: entry.modelId, err: error }, "learning failed");
      })
      .finally(() => (entry.refreshing = undefined));
    return entry.refreshing;
  }

  /** Learns what a model's accepted files teach. As long as files are described, those that were removed are noticed again and again. */
  async function relearn(entry: Entry): Promise<void> {
    for (;;) {
      stopping.signal.throwIfAborted();
      const startedAt = now();
      const { changes } = entry;
      const records = await accepted.newest({ ...toModel(entry), limit: MAX_FILES });
      const names = records.map(({ fileId, revision }) => toName(fileId, revision)).sort();
      dropRemoved(entry, new Set([...names, ...(await findPushedOut(entry, names))]), startedAt);
      if (!(await learnFrom(entry, records, hash([entry.schema, ...names].join("\n")), startedAt))) continue;
      entry.checkedAt = entry.changes === changes ? startedAt : -Infinity;
      if (entry.checkedAt === -Infinity) sweep.touch();
      return;
    }
  }

  /** Returns the names of those lessons that are not among the latest files any more, but were not removed. */
  async function findPushedOut(entry: Entry, names: readonly string[]): Promise<string[]> {
    const latest = new Set(names);
    const others = names.length < MAX_FILES ? [] : entry.taughtBy.filter((name) => !latest.has(name));
    if (others.length === 0) return [];
    const fileIds = others.map(toFileId);
    const found = await accepted.list({ ...toModel(entry), fileIds, limit: fileIds.length });
    return found.map(({ fileId, revision }) => toName(fileId, revision));
  }

  /** Learns from accepted files, if that is due. Returns false if more of them are to be described first. */
  async function learnFrom(
    entry: Entry,
    records: readonly AcceptedRecord[],
    fingerprint: string,
    startedAt: number,
  ): Promise<boolean> {
    if (!isDue(entry, fingerprint, startedAt)) return true;
    const limits = { until: startedAt + settings.checkIntervalMs, signal: stopping.signal };
    const read = await readLessons(dependencies, records, entry.lessons, entry.configuration, limits);
    Object.assign(entry, { lessons: read.lessons, folds: new Map() });
    if (read.isComplete) {
      const { retryAt, ...taught } = await teach(entry, [...read.lessons.values()]);
      Object.assign(entry, { retryAt });
      if (retryAt === Infinity) Object.assign(entry, { ...taught, fingerprint, expiresAt: Infinity });
      // A sweep that idles would not notice for minutes that the pause is over.
      if (isPaused(entry)) sweep.touch();
    }
    evict();
    return read.isComplete;
  }

  async function teach({ modelId, schema, state: known }: Entry, lessons: readonly Lesson[]): Promise<Taught> {
    const teaching = lessons.filter(({ examples }) => examples !== undefined);
    const taughtBy = teaching.map(({ id, revision }) => toName(id, revision)).sort();
    const examples = teaching.flatMap((lesson) => lesson.examples ?? []);
    if (examples.length === 0) return { state: null, taughtBy, retryAt: Infinity };
    const version = `${engine.version}+${hash([schema, ...taughtBy].join("\n")).slice(0, 12)}`;
    if (known?.version === version) return { state: known, taughtBy, retryAt: Infinity };
    const startedAt = now();
    const learned = await learner.run({ kind: "learn", examples });
    if ("error" in learned) {
      logger.warn({ modelId, learnedFrom: examples.length, err: learned.error }, "learning failed");
      return { state: null, taughtBy: [], retryAt: getRetryTime(startedAt, now()) };
    }
    return { state: { bytes: learned.packed, version, learnedFrom: examples.length }, taughtBy, retryAt: Infinity };
  }

  async function check(): Promise<void> {
    for (const [key, model] of touched) {
      touched.delete(key);
      const known = [...entries.values()].filter(({ modelId }) => modelId === model.modelId);
      for (const entry of known) {
        [entry.checkedAt, entry.usedAt] = [-Infinity, now()];
        entry.changes += 1;
      }
      const configuration = await loadConfiguration(model.modelId);
      if (configuration !== null && isLocal(configuration) && mayLearn(configuration)) getEntry(model, configuration);
    }
    // What is not used is forgotten, so that nothing remains of files that were deleted elsewhere.
    for (const [key, { usedAt }] of entries) if (usedAt <= now() - settings.idleMs) entries.delete(key);
    const due = [...entries.values()].filter(({ checkedAt }) => checkedAt <= now() - settings.checkIntervalMs);
    // Nothing waits for them: meanwhile, what other models learned from may be removed.
    for (const entry of due) void refresh(entry);
  }

  return {
    async current(model, configuration) {
      const entry = getEntry(model, configuration);
      if (entry.fingerprint === "" && entry.checkedAt === -Infinity)
        await Promise.race([refresh(entry), sleep(settings.firstWaitMs, undefined, { ref: false })]);
      return now() < entry.expiresAt ? entry.state : null;
    },

    async without(file, model, configuration) {
      const entry = getEntry(model, configuration);
      if (entry.checkedAt <= now() - settings.checkIntervalMs) await refresh(entry);
      const { lessons, folds } = entry;
      const own = lessons.get(file._id) ?? { id: file._id, sha256: file.sha256, issuer: null };
      const assigned = assignFolds([...[...lessons.values()].filter(({ id }) => id !== own.id), own]);
      const fold = assigned.get(file._id) ?? 0;
      const others = [...lessons.values()].filter(({ id }) => assigned.get(id) !== fold);
      const known = folds.get(fold);
      const attempt = known && now() < known.retryAt ? known : { taught: teach(entry, others), retryAt: Infinity };
      folds.set(fold, attempt);
      attempt.taught.then(
        ({ retryAt }) => (attempt.retryAt = retryAt),
        () => (attempt.retryAt = -Infinity),
      );
      const leftOut = [...lessons.keys()].filter((id) => assigned.get(id) === fold);
      return { state: (await attempt.taught).state, leftOut };
    },

    touch(model) {
      touched.set(model.modelId, model);
      sweep.touch();
    },

    forget(projectId) {
      for (const [key, entry] of entries) if (entry.projectId === projectId) entries.delete(key);
    },

    start: () => sweep.start(),

    async stop() {
      stopping.abort();
      await learner.close();
      await sweep.stop();
      await Promise.all([...entries.values()].flatMap(({ refreshing }) => refreshing ?? []));
    },
  };
}

/** Tells whether a configuration lets the engine learn from accepted files. */
export function mayLearn({ extractionSettings }: Configuration): boolean {
  return extractionSettings?.useExamples !== false;
}

/** Tells whether the local engine extracts with a configuration. For others, nothing has to be learned beside serving. */
function isLocal({ extractionSettings }: Configuration): boolean {
  return extractionSettings === undefined || ["", engine.name].includes(extractionSettings.engine);
}

function toModel({ projectId, modelId }: TaughtModel): TaughtModel {
  return { projectId, modelId };
}

/** Returns a hash of the parts of a configuration that determine what is learned: its tables and columns. */
function describeColumns({ tables, columns }: Configuration): string {
  return hash(toBinary(ConfigurationSchema, create(ConfigurationSchema, { tables, columns })));
}

function hash(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
