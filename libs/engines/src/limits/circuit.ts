/** Whether an endpoint is worth another request. */
export interface Circuit {
  /** Whether no request may be sent now. */
  isOpen(now: number): boolean;
  /** Whether a request may be sent now. After a pause a single one may, as a trial; it must report how it ended. */
  admits(now: number): boolean;
  succeeded(): void;
  failed(now: number): void;
  /** A request ended in a way that says nothing about the endpoint, such as a cancellation. */
  ended(): void;
}

const failuresToOpen = 5;
const firstPause = 1_000;
const longestPause = 10_000;

/**
 * Creates a circuit that opens after five failures in a row. It then admits a trial after a second, and after each trial that fails waits twice
 * as long, up to ten seconds. One success closes it. Times are milliseconds.
 */
export function createCircuit(): Circuit {
  let failures = 0;
  let pause = firstPause;
  let openUntil: number | undefined;
  let trial = false;
  const isOpen = (now: number): boolean => openUntil !== undefined && (now < openUntil || trial);
  return {
    isOpen,
    admits(now) {
      if (isOpen(now)) return false;
      trial = openUntil !== undefined;
      return true;
    },
    succeeded() {
      failures = 0;
      pause = firstPause;
      openUntil = undefined;
      trial = false;
    },
    failed(now) {
      failures += 1;
      if (trial) pause = Math.min(longestPause, pause * 2);
      trial = false;
      if (failures >= failuresToOpen) openUntil = now + pause;
    },
    ended() {
      trial = false;
    },
  };
}
