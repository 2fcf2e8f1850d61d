import { monotonicFactory } from "ulid";
import type { PRNG } from "ulid";

/** The clock and the random numbers of an ID generator. */
export interface IdSource {
  /** The current time in milliseconds. */
  now?: () => number;
  /** Returns a random number from 0 to less than 1; cryptographically secure by default. */
  random?: PRNG;
}

/**
 * Creates a generator of IDs: `${prefix}_` and a ULID in lower case (26 characters: 48 bits of milliseconds, then 80 random bits).
 * Each ID of a generator sorts after those before it, also within a millisecond and after the clock was set back.
 */
export function createIdGenerator({ now = Date.now, random }: IdSource = {}): (prefix: string) => string {
  const ulid = monotonicFactory(random);
  return (prefix) => `${prefix}_${ulid(now()).toLowerCase()}`;
}

/** Creates an ID that sorts after all IDs that this process created before: `${prefix}_` and 26 characters of lower-case base32. */
export const newId: (prefix: string) => string = createIdGenerator();
