import { setTimeout as sleep } from "node:timers/promises";
import type { EngineDefinition } from "../engine-file.ts";
import { createPace } from "./pace.ts";
import { createPlaces } from "./places.ts";
import { takeShared } from "./shared.ts";
import type { SharedPlaces } from "./shared.ts";

/** The limits of one engine. */
export interface EngineLimits {
  /**
   * Waits until a request may begin, and returns a function that must be called when it has ended. Returns undefined if that would be later
   * than `latest`, or if too many requests are waiting. Rejects with the reason of the signal.
   */
  begin(latest: number, signal: AbortSignal): Promise<(() => void) | undefined>;
  /** Lets no request begin before this time, because the endpoint has asked for it at `now`, but for five minutes at most. */
  pauseUntil(time: number, now: number): void;
}

/** The maximum number of requests that wait for an engine, per request that it takes at a time. More would not be served before their deadline. */
const waitingPerPlace = 100;

/**
 * Creates the limits of an engine. They hold within this process and, if places are shared, for all processes together: a request needs a
 * place of its process first, so that no process asks for more shared places than it could use.
 */
export function createLimits(
  { name, parallel, requestsPerMinute, timeoutSeconds }: EngineDefinition,
  shared: SharedPlaces | undefined,
): EngineLimits {
  const request = { engine: name, parallel, requestsPerMinute, timeoutMs: timeoutSeconds * 1000 };
  const places = createPlaces(parallel, parallel * waitingPerPlace);
  const pace = createPace(requestsPerMinute);
  return {
    async begin(latest, signal) {
      const release = await places.take(signal);
      if (release === undefined) return undefined;
      try {
        const now = Date.now();
        const time = pace.reserve(now, latest);
        if (time === undefined) {
          release();
          return undefined;
        }
        if (time > now) await sleep(time - now, undefined, { signal });
        if (shared === undefined) return release;
        const free = await takeShared(shared, request, latest, signal);
        if (free === undefined) {
          release();
          return undefined;
        }
        return () => {
          free();
          release();
        };
      } catch (error) {
        release();
        throw signal.aborted ? signal.reason : error;
      }
    },
    pauseUntil: (time, now) => pace.pauseUntil(time, now),
  };
}
