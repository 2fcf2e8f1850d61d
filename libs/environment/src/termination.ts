/** How long further signals count as the first one: a terminal signals all processes of a command, and some pass the signal on. */
const repetitionMs = 1_000;

/**
 * Makes the first SIGINT or SIGTERM close what the process serves and then end it with exit code 0. A further signal after more than a second
 * ends the process at once. The returned signal is aborted when closing begins.
 */
export function closeOnTermination(close: () => Promise<void>): AbortSignal {
  const closing = new AbortController();
  const signals = ["SIGINT", "SIGTERM"] as const;
  const begin = (): void => {
    if (closing.signal.aborted) return;
    closing.abort();
    // Without listeners, the next signal has its usual effect.
    setTimeout(() => signals.forEach((signal) => process.off(signal, begin)), repetitionMs).unref();
    void close().then(() => process.exit(0));
  };
  for (const signal of signals) process.on(signal, begin);
  return closing.signal;
}
