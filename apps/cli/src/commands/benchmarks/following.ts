import { ApiError, ConnectionError, type ExecutionEvent } from "@switchyard/client";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultTimeoutSeconds } from "../../connection/connection.ts";
import { createWaitNotice } from "../../connection/wait-notice.ts";
import type { Context } from "../../context.ts";
import type { Input } from "../../parsing/input.ts";
import { exitCodes, getExitCode } from "../../terminal/exit-codes.ts";
import { createProgress } from "../../terminal/progress.ts";

/** The pause before a stream that the server has closed is opened again, in milliseconds. */
const pauseMs = 500;
/** The pauses while the server is away, in milliseconds. Each is twice as long as the one before. */
const awayPauses = { firstMs: 1_000, maxMs: 15_000 } as const;

/** How a run is followed. */
interface Following {
  /** Whether the server has answered, so that it is worth waiting for it. */
  readonly hasAnswered?: boolean;
  /** Called with each event. */
  readonly seen?: (event: ExecutionEvent) => void;
}

/**
 * Follows a run to its end, with a progress bar on a terminal. If the server closes the stream, it reconnects. If the server can no longer be
 * reached, for example because it is restarted, it tries again for as long as --timeout allows, and then throws the last failure.
 */
export async function follow(
  context: Context,
  input: Input,
  id: string,
  { hasAnswered = false, seen }: Following = {},
): Promise<ExecutionEvent["status"]> {
  const { io } = context;
  const client = await context.client();
  const note = createWaitNotice(io.stderr);
  const timeoutMs = 1_000 * (input.integer("timeout") ?? defaultTimeoutSeconds);
  let isKnown = hasAnswered;
  let away: { readonly until: number; pauseMs: number } | undefined;
  let bar: ReturnType<typeof createProgress> | undefined;
  try {
    for (;;) {
      try {
        for await (const event of client.watchExecution({ executionId: id }, { signal: io.signal })) {
          isKnown = true;
          away = undefined;
          seen?.(event);
          const { total = 0, done = 0, failed = 0 } = event.progress ?? {};
          bar ??= createProgress(io, total);
          bar.update(done, failed > 0 ? `${failed} failed` : "");
          if (event.status !== "RUNNING") return event.status;
        }
        await sleep(pauseMs, undefined, { signal: io.signal });
      } catch (error) {
        if (!isKnown || !isAway(error)) throw error;
        away ??= { until: performance.now() + timeoutMs, pauseMs: awayPauses.firstMs };
        const delayMs = Math.min(away.pauseMs, away.until - performance.now());
        if (delayMs <= 0) throw error;
        away.pauseMs = Math.min(2 * away.pauseMs, awayPauses.maxMs);
        note(error, delayMs);
        await sleep(delayMs, undefined, { signal: io.signal });
      }
    }
  } finally {
    bar?.end();
  }
}

/** Tells whether an error means that there is no server at the moment. */
function isAway(error: unknown): error is ApiError | ConnectionError {
  const mayBe = error instanceof ApiError || error instanceof ConnectionError;
  return mayBe && getExitCode(error) === exitCodes.unavailable;
}
