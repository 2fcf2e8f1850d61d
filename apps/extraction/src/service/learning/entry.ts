import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Lesson } from "./lessons.ts";

/** What the engine learned about a model. The same version gives the same values for the same document. */
export interface LearnedState {
  /** The packed state. */
  readonly bytes: Uint8Array;
  /** The version of the engine with this knowledge. */
  readonly version: string;
  /** The number of accepted files from which it was learned. */
  readonly learnedFrom: number;
}

/** A model of a project. */
export interface TaughtModel {
  readonly projectId: string;
  readonly modelId: string;
}

/** What is kept in memory about a model and the parts of a configuration that determine what is learned. */
export interface Entry extends TaughtModel {
  readonly configuration: Configuration;
  readonly schema: string;
  usedAt: number;
  /** When the accepted files were listed last. */
  checkedAt: number;
  /** How many times a change of them was reported. */
  changes: number;
  /** Identifies the accepted files when the state was learned. */
  fingerprint: string;
  /** The time from which it is tried again to learn, because that failed last; else Infinity. */
  retryAt: number;
  lessons: ReadonlyMap<string, Lesson>;
  state: LearnedState | null;
  /** The names of the lessons from which the state was learned. */
  taughtBy: readonly string[];
  /** The time from which the state must not be used, because values from which it was learned were removed. */
  expiresAt: number;
  folds: Map<number, { taught: Promise<Taught>; retryAt: number }>;
  refreshing: Promise<void> | undefined;
}

/** The outcome of learning from lessons. `retryAt` is the time from which it is tried again if it failed, else Infinity. */
export type Taught = Pick<Entry, "state" | "taughtBy" | "retryAt">;

/** How long a state may still be used after values from which it was learned were removed. */
const removalMs = 6_000;

/**
 * Removes the lessons of values that are not present any more. What was learned from them may be used for a while, so that there is something
 * until it is learned again without them, which is tried at once, even after a failure.
 */
export function dropRemoved(entry: Entry, present: ReadonlySet<string>, time: number): void {
  const lessons = new Map([...entry.lessons].filter(([id, { revision }]) => present.has(toName(id, revision))));
  if (lessons.size < entry.lessons.size) Object.assign(entry, { lessons, folds: new Map() });
  if (entry.expiresAt === Infinity && entry.taughtBy.some((name) => !present.has(name))) {
    entry.expiresAt = time + removalMs;
    entry.retryAt = Math.min(entry.retryAt, time);
  }
  if (time >= entry.expiresAt) Object.assign(entry, { state: null, taughtBy: [] });
}

/** Tells whether a model has to be learned again: after a failure when the pause is over, else if there is more to learn from. */
export function isDue({ fingerprint, retryAt, lessons }: Entry, present: string, time: number): boolean {
  if (retryAt !== Infinity) return time >= retryAt;
  return fingerprint !== present || [...lessons.values()].some((lesson) => time >= lesson.retryAt);
}

/** Tells whether something failed and is tried again later. */
export function isPaused({ retryAt, lessons }: Entry): boolean {
  return [{ retryAt }, ...lessons.values()].some((each) => each.retryAt !== Infinity);
}

/** Returns the name of a lesson: the file and the revision of its accepted values. */
export function toName(fileId: string, revision: string): string {
  return `${fileId} ${revision}`;
}

/** Returns the file of a lesson with this name. */
export function toFileId(name: string): string {
  return name.slice(0, name.indexOf(" "));
}
