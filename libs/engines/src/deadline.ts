/** The reason of a signal whose time is up. */
export class TimeIsUp extends Error {}

/**
 * Runs work with a signal that fires when one of the given signals does, or after `ms` with a {@link TimeIsUp}. Timer and listeners are
 * removed when the work has ended.
 */
export async function withDeadline<Result>(
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new TimeIsUp("The time is up.")), Math.max(0, ms));
  const removals = signals.map((signal) => {
    const abort = (): void => controller.abort(signal?.reason);
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { once: true });
    return () => signal?.removeEventListener("abort", abort);
  });
  try {
    controller.signal.throwIfAborted();
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const remove of removals) remove();
  }
}
