/** An attempt to learn that failed. */
export interface FailedAttempt {
  /** Identifies what was to be learned. */
  readonly of: string;
  /** How often in a row learning it has failed. */
  readonly times: number;
  /** The time from which it is tried again. */
  readonly retryAt: number;
}

const firstPauseMs = 1_000;
/** The least pause relative to the time that the attempt took, so that the processors are free most of the time. */
const relativePause = 3;
/** The longest pause, so that learning recovers from a failure that does not last. */
const maxPauseMs = 300_000;

/**
 * Returns the attempt that has failed after `durationMs`, given the one that failed before. The pause doubles each time; it begins again with a
 * second if something else was to be learned, because that may succeed.
 */
export function countFailure(
  last: FailedAttempt | undefined,
  of: string,
  time: number,
  durationMs: number,
): FailedAttempt {
  const times = last?.of === of ? last.times + 1 : 1;
  const pause = Math.max(firstPauseMs * 2 ** (times - 1), relativePause * durationMs);
  return { of, times, retryAt: time + Math.min(maxPauseMs, pause) };
}

/** Tells whether learning is postponed because it failed. Something else than what failed is learned at once. */
export function isPaused(failed: FailedAttempt | undefined, of: string, time: number): boolean {
  return failed?.of === of && time < failed.retryAt;
}
