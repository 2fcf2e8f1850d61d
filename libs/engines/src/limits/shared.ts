import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** The places of engines that all processes share. Calls reject if they cannot be shared at the moment. */
export interface SharedPlaces {
  /** Takes a place, which expires if it is not returned. If there is none, `retryInMs` says when another attempt is worthwhile. */
  take(
    request: {
      readonly engine: string;
      readonly placeId: string;
      readonly parallel: number;
      readonly requestsPerMinute: number;
      readonly expiresInMs: number;
    },
    signal: AbortSignal,
  ): Promise<{ readonly taken: boolean; readonly retryInMs: number }>;
  free(engine: string, placeId: string): Promise<void>;
}

/** A request for one of the shared places of an engine. */
export interface SharedRequest {
  readonly engine: string;
  readonly parallel: number;
  readonly requestsPerMinute: number | undefined;
  /** A place is held at most as long as a request may take. */
  readonly timeoutMs: number;
}

/** A process that was killed returns no places. They expire a little later than its requests would have ended. */
const marginMs = 5_000;

/**
 * Waits for a shared place until `latest`, and returns a function that returns it, or undefined if there was none. If places cannot be
 * shared, only the limits of this process apply, so documents are still extracted while the service that counts is down.
 */
export async function takeShared(
  shared: SharedPlaces,
  { engine, parallel, requestsPerMinute = 0, timeoutMs }: SharedRequest,
  latest: number,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  const placeId = randomUUID();
  const request = { engine, placeId, parallel, requestsPerMinute, expiresInMs: timeoutMs + marginMs };
  const free = (): void => void shared.free(engine, placeId).catch(() => undefined);
  for (;;) {
    const outcome = await shared.take(request, signal).catch(() => undefined);
    if (signal.aborted) {
      free();
      throw signal.reason;
    }
    if (outcome === undefined) return () => undefined;
    if (outcome.taken) return free;
    // Processes that wait for the same place do not ask at the same time.
    const pause = outcome.retryInMs * (1 + Math.random() / 4);
    if (Date.now() + pause > latest) return undefined;
    await sleep(pause, undefined, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
  }
}
