import { setTimeout as sleep } from "node:timers/promises";
import type { EngineDefinition } from "../engine-file.ts";
import { createPace } from "./pace.ts";
import { createPlaces } from "./places.ts";

/** The limits of one engine. */
export interface EngineLimits {
  /**
   * Waits until a request may begin, and returns a function that must be called when it has ended. Returns undefined if that would be later
   * than `latest`, or if too many requests are waiting. Rejects with the reason of the signal.
   */
  begin(latest: number, signal: AbortSignal): Promise<(() => void) | undefined>;
  /** Lets no request begin before this time, because the endpoint has asked for it. */
  pauseUntil(time: number): void;
}

/** The requests that wait for an engine at most, for each that it takes at the same time. More would not be served before their deadline. */
const waitingPerPlace = 100;

/** Creates the limits of an engine within this process. */
export function createLimits({
  parallel,
  requestsPerMinute,
}: Pick<EngineDefinition, "parallel" | "requestsPerMinute">): EngineLimits {
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
        return release;
      } catch (error) {
        release();
        throw signal.aborted ? signal.reason : error;
      }
    },
    pauseUntil: (time) => pace.pauseUntil(time),
  };
}
