import { Code, type ConnectError } from "@connectrpc/connect";
import { isReasonOf } from "@switchyard/contracts/reasons";
import { setTimeout as sleep } from "node:timers/promises";
import { getProblemFacts, unavailable } from "../errors.ts";
import { storageProblem } from "../storage-problem.ts";

/** Resolves if a server is ready. Otherwise rejects with Unavailable and a reason. */
export type Ready = () => Promise<void>;

/**
 * Creates a readiness check that runs all `checks` concurrently, for at most `timeoutMs` milliseconds (1,500 by default). The first
 * failure determines the reason: `STORAGE_FULL` or `STORAGE_UNAVAILABLE` for a database, the reason of another service if it is
 * Unavailable, and otherwise `NOT_READY`. Concurrent calls share one run, so that callers cannot overload the databases.
 */
export function createReadiness(checks: readonly (() => Promise<void>)[], timeoutMs = 1_500): Ready {
  let running: Promise<void> | undefined;
  async function runChecks(): Promise<void> {
    const timer = new AbortController();
    const timeout = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => Promise.reject(notReady()));
    try {
      await Promise.race([Promise.all(checks.map((check) => check())), timeout]);
    } catch (error) {
      throw toProblem(error);
    } finally {
      timer.abort();
      // Aborted by the previous line.
      timeout.catch(() => undefined);
      running = undefined;
    }
  }
  return () => (running ??= runChecks());
}

function toProblem(error: unknown): ConnectError {
  const { code, reason, message } = getProblemFacts(error);
  const isPassedOn = code === Code.Unavailable && isReasonOf("UNAVAILABLE", reason);
  return storageProblem(error) ?? (isPassedOn ? unavailable(reason, message, error) : notReady(error));
}

function notReady(cause?: unknown): ConnectError {
  return unavailable("NOT_READY", "A service is not ready.", cause);
}
