/** When the next request to an endpoint may begin. */
export interface Pace {
  /** Reserves the next free time, at or after `now`. Returns undefined, and reserves nothing, if it is later than `latest`. */
  reserve(now: number, latest: number): number | undefined;
  /** Lets no request begin before this time, or from five minutes after `now` on, if that is earlier. */
  pauseUntil(time: number, now: number): void;
}

const minute = 60_000;
/** An endpoint whose clock is wrong, or that counts in milliseconds, would otherwise not be used for years. */
const maxPauseMs = 5 * minute;

/** Creates a pace of at most `perMinute` requests in any 60 s; undefined is no limit. Times are milliseconds. */
export function createPace(perMinute: number | undefined): Pace {
  const reserved: number[] = [];
  let paused = 0;
  /** The time from which the pause is not observed any more. */
  let triedAgainAt = 0;
  return {
    reserve(now, latest) {
      while (reserved[0] !== undefined && reserved[0] <= now - minute) reserved.shift();
      const before = perMinute === undefined ? undefined : reserved[reserved.length - perMinute];
      const time = Math.max(now, now < triedAgainAt ? paused : 0, before === undefined ? 0 : before + minute);
      if (time > latest) return undefined;
      if (perMinute !== undefined) reserved.push(time);
      return time;
    },
    pauseUntil(time, now) {
      paused = now < triedAgainAt ? Math.max(paused, time) : time;
      triedAgainAt = now + maxPauseMs;
    },
  };
}
