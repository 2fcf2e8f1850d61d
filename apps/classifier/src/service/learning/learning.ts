import { LRUCache } from "lru-cache";
import { setTimeout as sleep } from "node:timers/promises";
import PQueue from "p-queue";
import { MAX_LEARNED_CHARACTERS } from "../../domain/learning/labeled-text.ts";
import type { LabeledText } from "../../domain/learning/labeled-text.ts";
import { selectTexts } from "../../domain/learning/text-selection.ts";
import type { RouteProfile } from "../../domain/scoring/scorer.ts";
import type { LearningThread } from "../../learning/thread.ts";
import type { ScoringThread } from "../../scoring/thread.ts";
import type { ReviewedDocuments } from "../../store/reviews/reviewed-documents.ts";
import { countFailure, isPaused, type FailedAttempt } from "./failed-attempt.ts";
import { readReviewedTexts } from "./reviewed-texts.ts";

/** What was learned for a classifier. */
export interface LearnedVersion {
  /** Its key in the scoring thread. */
  readonly key: string;
  /** Identifies what it was learned from. */
  readonly hash: string;
  /** The number of reviewed documents. */
  readonly learnedFrom: number;
}

/** Learns from the reviewed documents of classifiers and the examples of their routes, beside the requests. */
export interface Learning {
  /**
   * Returns what was last learned for a classifier, and checks in the background whether there is more to learn. Never waits.
   * `version` identifies its routes, which `loadProfiles` loads with their examples.
   */
  find(classifierId: string, version: string, loadProfiles: () => Promise<RouteProfile[]>): LearnedVersion | undefined;
  /**
   * Learns from given texts and the examples of routes, without effect on any classifier: one call after the other, so that classifiers never
   * wait for more than one. Rejects if the signal is aborted before its turn. Returns undefined if there is nothing to learn from. `release`
   * drops what was learned from the scoring thread.
   */
  learnFrom(
    profiles: readonly RouteProfile[],
    texts: readonly LabeledText[],
    signal: AbortSignal,
  ): Promise<{ readonly key: string; release(): Promise<void> } | undefined>;
  /** Learns again what the scoring thread has lost. */
  relearn(classifierId: string, key: string): void;
  /** Ends the background work. */
  close(): Promise<void>;
}

interface Subject {
  version: string;
  loadProfiles: () => Promise<RouteProfile[]>;
  usedAt: number;
  checkedAt: number;
  busy: boolean;
  learned?: LearnedVersion | undefined;
  /** The versions of routes and reviews that `learned` is of. */
  learnedOf?: string | undefined;
  failed?: FailedAttempt | undefined;
}

/** How often a classifier that is in use is checked for new reviews. */
const checkIntervalMs = 1_000;
/** How often classifiers that are not in use are checked, so that nothing is kept of what was deleted. */
const idleCheckIntervalMs = 4_000;
/** What was learned is dropped when a classifier was not used for this long. */
const idleMs = 600_000;
const maxSubjects = 500;
/**
 * How long learning a classifier again is postponed, relative to the time that learning took. If reviews keep coming, this leaves the processors to
 * requests, and the thread to other classifiers.
 */
const relativePause = 3;
/** The longest pause, so that a review counts soon. */
const maxPauseMs = 3_000;

/**
 * Creates the learning. `onFailure` is called with the reason if something could not be learned; it is tried again
 * after pauses that grow, and at once when reviews or routes have changed.
 */
export function createLearning(
  reviewed: Pick<ReviewedDocuments, "getVersion" | "count" | "listLatest">,
  learning: LearningThread,
  scoring: Pick<ScoringThread, "addLearned" | "removeLearned">,
  onFailure: (error: unknown) => void,
): Learning {
  const subjects = new LRUCache<string, Subject>({
    max: maxSubjects,
    dispose: (subject) => drop(subject.learned),
  });
  const given = new PQueue({ concurrency: 1 });
  let closed = false;
  let keys = 0;
  /** Runs while something is kept. */
  let timer: NodeJS.Timeout | undefined;

  function drop(learned: LearnedVersion | undefined): void {
    if (learned !== undefined && !closed) scoring.removeLearned(learned.key).catch(onFailure);
  }

  function checkIdle(): void {
    const now = performance.now();
    if (subjects.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    for (const [classifierId, subject] of subjects.entries()) {
      if (now - subject.usedAt > idleMs) subjects.delete(classifierId);
      else if (now - subject.checkedAt > checkIntervalMs) void check(classifierId, subject);
    }
  }

  async function check(classifierId: string, subject: Subject): Promise<void> {
    if (subject.busy || closed) return;
    subject.busy = true;
    subject.checkedAt = performance.now();
    try {
      const { version } = subject;
      const wanted = JSON.stringify([version, await reviewed.getVersion(classifierId)]);
      if (wanted !== subject.learnedOf && !isPaused(subject.failed, wanted, performance.now())) {
        const started = performance.now();
        const learned = await learnNow(classifierId, subject).catch((error: unknown) => {
          const now = performance.now();
          subject.failed = countFailure(subject.failed, wanted, now, now - started);
          throw error;
        });
        const replaced = subject.learned;
        Object.assign(subject, { learned, learnedOf: wanted, failed: undefined });
        drop(subjects.peek(classifierId) === subject ? replaced : learned);
        await sleep(Math.min(maxPauseMs, relativePause * (performance.now() - started)), undefined, { ref: false });
      }
    } catch (error) {
      if (!closed) onFailure(error);
    } finally {
      subject.busy = false;
    }
  }

  async function learnNow(classifierId: string, subject: Subject): Promise<LearnedVersion | undefined> {
    const profiles = await subject.loadProfiles();
    const learnedFrom = await reviewed.count(classifierId);
    const examples = new Map(profiles.map((profile) => [profile.id as string | null, profile.examples.length]));
    const texts = await readReviewedTexts(reviewed, classifierId, examples.set(null, 0));
    const learned = await learnTexts(classifierId, profiles, texts);
    return learned === undefined ? undefined : { ...learned, learnedFrom };
  }

  async function learnTexts(
    name: string,
    profiles: readonly RouteProfile[],
    reviewedTexts: readonly LabeledText[],
  ): Promise<Omit<LearnedVersion, "learnedFrom"> | undefined> {
    const examples = profiles.flatMap((profile) =>
      profile.examples.map((text, index) => ({
        id: `example ${profile.id} ${String(index)}`,
        routeId: profile.id,
        text,
      })),
    );
    const texts = selectTexts([...reviewedTexts, ...examples]);
    if (texts.length === 0) return undefined;
    const routes = profiles.map((profile) => ({ ...profile, examples: [] }));
    const learned = texts.map((each) => ({ ...each, text: each.text.slice(0, MAX_LEARNED_CHARACTERS) }));
    const { state, hash } = await learning.learn({ routes, texts: learned });
    if (state === undefined) return undefined;
    keys += 1;
    const key = `${name} ${hash} ${String(keys)}`;
    await scoring.addLearned(key, state);
    return { key, hash };
  }

  return {
    find(classifierId, version, loadProfiles) {
      const now = performance.now();
      const subject = subjects.get(classifierId) ?? {
        version,
        loadProfiles,
        usedAt: now,
        checkedAt: -Infinity,
        busy: false,
      };
      const changed = subject.version !== version;
      Object.assign(subject, { version, loadProfiles, usedAt: now });
      if (!subjects.has(classifierId)) subjects.set(classifierId, subject);
      if (!closed) timer ??= setInterval(checkIdle, idleCheckIntervalMs).unref();
      if (changed || now - subject.checkedAt > checkIntervalMs) void check(classifierId, subject);
      return subject.learned;
    },

    async learnFrom(profiles, texts, signal) {
      const learned = await given.add(async () => {
        signal.throwIfAborted();
        return learnTexts("given", profiles, texts);
      });
      return learned && { key: learned.key, release: () => scoring.removeLearned(learned.key) };
    },

    relearn(classifierId, key) {
      const subject = subjects.peek(classifierId);
      if (subject?.learned?.key !== key) return;
      // Nothing is learned until an attempt succeeds, so that the next one is not postponed.
      Object.assign(subject, { learned: undefined, learnedOf: undefined, failed: undefined });
      void check(classifierId, subject);
    },

    async close() {
      closed = true;
      clearInterval(timer);
      await learning.close();
    },
  };
}
