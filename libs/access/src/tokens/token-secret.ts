import { createHmac, randomBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 30;
const checksumLength = 6;
const shape = new RegExp(`^sw[op]_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/**
 * Creates a token secret of 40 characters: `swo_` (organization) or `swp_` (project), 30 random base62 characters (178 bits), and the
 * CRC-32 of the previous characters in 6 base62 characters.
 */
export function mintTokenSecret(scope: "ORGANIZATION" | "PROJECT"): string {
  const body = `${scope === "ORGANIZATION" ? "swo_" : "swp_"}${randomCharacters(randomLength)}`;
  return body + computeChecksum(body);
}

/** Whether a text has the form and the checksum of a token secret, which detects typing errors without a lookup. */
export function isTokenSecret(text: string): boolean {
  if (!shape.test(text)) return false;
  const body = text.slice(0, -checksumLength);
  return text.slice(-checksumLength) === computeChecksum(body);
}

/** Computes the stored digest of a token secret: its HMAC-SHA-256 with the pepper, in hexadecimal. */
export function computeTokenDigest(pepper: Uint8Array | KeyObject, secret: string): string {
  return createHmac("sha256", pepper).update(secret, "utf8").digest("hex");
}

function computeChecksum(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let place = 0; place < checksumLength; place += 1) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

function randomCharacters(count: number): string {
  const limit = 256 - (256 % alphabet.length);
  let characters = "";
  while (characters.length < count) {
    for (const byte of randomBytes(count)) {
      // Larger bytes would make the first characters of the alphabet more likely.
      if (byte < limit && characters.length < count) characters += alphabet.charAt(byte % alphabet.length);
    }
  }
  return characters;
}
