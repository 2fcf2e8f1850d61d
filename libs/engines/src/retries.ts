import { setTimeout as sleep } from "node:timers/promises";
import { TimeIsUp, withDeadline } from "./deadline.ts";
import { AttemptFailure } from "./endpoint/attempt-failure.ts";
import type { Completion } from "./endpoint/completion.ts";
import type { Endpoint } from "./endpoint/endpoint.ts";
import type { CompletionRequest } from "./endpoint/messages.ts";
import type { Circuit } from "./limits/circuit.ts";
import type { EngineLimits } from "./limits/limits.ts";

/** An endpoint with what protects it from too many requests, and its callers from an endpoint that is down. */
export interface GuardedEndpoint {
  readonly endpoint: Endpoint;
  readonly limits: EngineLimits;
  readonly circuit: Circuit;
  readonly timeoutMs: number;
  /** How long to wait before the second attempt, give or take a half; before the third one it is twice as long. */
  readonly pauseMs: number;
}

const attempts = 3;

/**
 * Sends a request, up to three times if failures are temporary, and waits in between as the endpoint asks, or as configured. No attempt is
 * started that could not end before `deadline`. A request that takes too long is not repeated: that would double the load of an endpoint that
 * is too slow already. Rejects with an `AttemptFailure`, or with the reason of the signal.
 */
export async function sendWithRetries(
  guarded: GuardedEndpoint,
  request: CompletionRequest,
  deadline: number,
  signal: AbortSignal,
  random: () => number = Math.random,
): Promise<Completion> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(guarded, request, deadline, signal);
    } catch (failure) {
      if (!(failure instanceof AttemptFailure)) throw failure;
      const now = Date.now();
      const asked = failure.retryAfterMs;
      if (asked !== undefined) guarded.limits.pauseUntil(now + asked, now);
      if (!failure.temporary || attempt === attempts) throw failure;
      const pause = Math.max(guarded.pauseMs * 2 ** (attempt - 1) * (0.5 + random()), asked ?? 0);
      if (now + pause >= deadline) throw failure;
      await sleep(pause, undefined, { signal }).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : error;
      });
    }
  }
}

async function sendOnce(
  { endpoint, limits, circuit, timeoutMs }: GuardedEndpoint,
  request: CompletionRequest,
  deadline: number,
  signal: AbortSignal,
): Promise<Completion> {
  // Calls fail at once while the circuit is open: they do not even wait for a place.
  if (circuit.isOpen(Date.now())) throw new AttemptFailure({ code: "ENGINE_UNREACHABLE" });
  const end = await begin(limits, deadline, signal);
  if (end === undefined) throw new AttemptFailure({ code: "ENGINE_UNREACHABLE" });
  try {
    if (!circuit.admits(Date.now())) throw new AttemptFailure({ code: "ENGINE_UNREACHABLE" });
    const ms = Math.min(timeoutMs, deadline - Date.now());
    return await observe(circuit, ms < timeoutMs, () =>
      withDeadline(ms, [signal], (inner) => endpoint.complete(request, inner)),
    );
  } finally {
    end();
  }
}

async function begin(limits: EngineLimits, deadline: number, signal: AbortSignal): Promise<(() => void) | undefined> {
  try {
    return await limits.begin(deadline, signal);
  } catch (error) {
    if (error instanceof TimeIsUp) return undefined;
    throw error;
  }
}

/** Tells the circuit how a request ended. That a `hurried` one took too long says nothing: it had less time than others have. */
async function observe(circuit: Circuit, hurried: boolean, work: () => Promise<Completion>): Promise<Completion> {
  try {
    const completion = await work();
    circuit.succeeded();
    return completion;
  } catch (error) {
    const timedOut = error instanceof TimeIsUp;
    if (error instanceof AttemptFailure && error.responded) circuit.succeeded();
    else if (error instanceof AttemptFailure || (timedOut && !hurried)) circuit.failed(Date.now());
    else circuit.ended();
    throw timedOut ? new AttemptFailure({ code: "ENGINE_TIMEOUT", responded: false }) : error;
  }
}
