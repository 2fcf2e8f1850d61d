import { randomBytes } from "node:crypto";

/** Crockford's base32 in lower case: its characters ascend in ASCII, so ids sort as their numbers do. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeCharacters = 10;
const randomCharacters = 16;

/** Where the time and the random part of ids come from. */
export interface IdSource {
  now: () => number;
  /** This many random bytes. */
  random: (count: number) => Uint8Array;
}

/**
 * Makes ids `${prefix}_` + 26 characters: 48 bits of milliseconds, then 80 random bits. Each id of one generator sorts after those
 * before, also within a millisecond and when the clock goes back, where the random part is counted up.
 */
export function createIdGenerator({ now, random }: IdSource): (prefix: string) => string {
  let lastTime = -1;
  let lastRandom = 0n;
  return (prefix) => {
    const time = now();
    if (time > lastTime) {
      lastTime = time;
      // The top bit stays free, so that counting up never overflows.
      lastRandom = BigInt(`0x${Buffer.from(random(10)).toString("hex")}`) >> 1n;
    } else {
      lastRandom += 1n;
    }
    return `${prefix}_${encode(BigInt(lastTime), timeCharacters)}${encode(lastRandom, randomCharacters)}`;
  };
}

/** A new id that sorts after those that this process made before: `${prefix}_` and 26 characters of lower-case base32. */
export const newId: (prefix: string) => string = createIdGenerator({ now: Date.now, random: randomBytes });

function encode(value: bigint, length: number): string {
  let rest = value;
  let text = "";
  for (let place = 0; place < length; place += 1) {
    text = alphabet.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return text;
}
