import { Code, type ConnectError } from "@connectrpc/connect";
import { setTimeout as sleep } from "node:timers/promises";
import { getProblemFacts, unavailable } from "../errors.ts";
import { storageProblem } from "../storage-problem.ts";

/** Resolves when a server can do its work; rejects with Unavailable otherwise, whose reason says what is missing. */
export type Ready = () => Promise<void>;

/**
 * Asks everything that a server needs at once, for at most `timeoutMs` milliseconds (1,500 by default). The first failure is the
 * answer: STORAGE_FULL or STORAGE_UNAVAILABLE of a database, the reason of another service, else NOT_READY. Calls while one look
 * is under way share it, so that nobody can burden the databases by asking.
 */
export function createReadiness(checks: readonly (() => Promise<void>)[], timeoutMs = 1_500): Ready {
  let looking: Promise<void> | undefined;
  async function look(): Promise<void> {
    const timer = new AbortController();
    const late = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => Promise.reject(notReady()));
    try {
      await Promise.race([Promise.all(checks.map((check) => check())), late]);
    } catch (error) {
      throw toProblem(error);
    } finally {
      timer.abort();
      // Ended by the line above.
      late.catch(() => undefined);
      looking = undefined;
    }
  }
  return () => (looking ??= look());
}

function toProblem(error: unknown): ConnectError {
  const { code, reason, message } = getProblemFacts(error);
  return storageProblem(error) ?? (code === Code.Unavailable ? unavailable(reason, message, error) : notReady(error));
}

function notReady(cause?: unknown): ConnectError {
  return unavailable("NOT_READY", "A service is not ready.", cause);
}
