import { randomFillSync } from "node:crypto";
import { decodeTime, encodeTime, monotonicFactory } from "ulid";
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
 * Each ID of a generator sorts after those before it, even within a millisecond and after the clock was set back.
 */
export function createIdGenerator({ now = Date.now, random = createRandom() }: IdSource = {}): (
  prefix: string,
) => string {
  const ulid = monotonicFactory(random);
  return (prefix) => `${prefix}_${ulid(now()).toLowerCase()}`;
}

/** Creates a secure random number generator. It takes bytes in advance, because each ID needs sixteen numbers. */
function createRandom(): PRNG {
  const bytes = new Uint8Array(1024);
  let next = bytes.length;
  return () => {
    if (next === bytes.length) {
      randomFillSync(bytes);
      next = 0;
    }
    return (bytes[next++] ?? 0) / 256;
  };
}

/** Creates an ID that sorts after all IDs that this process created before: `${prefix}_` and 26 characters of lower-case base32. */
export const newId: (prefix: string) => string = createIdGenerator();

/** The number of characters that contain the time of an ID. */
const timeCharacters = 10;

/** Returns the time of an ID, in whole milliseconds. It never decreases from one ID of a process to the next. */
export function getIdTime(id: string): Date {
  return new Date(decodeTime(id.slice(id.lastIndexOf("_") + 1).toUpperCase()));
}

/** Returns the lower bound of the IDs with a prefix that have this time or a later one. All others sort before it. */
export function getFirstId(prefix: string, time: Date): string {
  return `${prefix}_${encodeTime(Math.max(0, time.getTime()), timeCharacters).toLowerCase()}`;
}
