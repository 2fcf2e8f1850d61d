import fc from "fast-check";
import { createHmac } from "node:crypto";
import { isTokenSecret, mintTokenSecret, computeTokenDigest } from "./token-secret.ts";

describe("mintTokenSecret", () => {
  it("creates unique secrets of 40 characters that start with their scope", () => {
    const organization = Array.from({ length: 200 }, () => mintTokenSecret("ORGANIZATION"));
    expect(new Set(organization).size).toBe(200);
    for (const secret of organization) expect(secret).toMatch(/^swo_[0-9A-Za-z]{36}$/);
    expect(mintTokenSecret("PROJECT")).toMatch(/^swp_[0-9A-Za-z]{36}$/);
  });

  it("uses all characters with about the same frequency", () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 500; round += 1) {
      for (const character of mintTokenSecret("PROJECT").slice(4, 34)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    // Each of 62 characters is drawn about 242 times in 15,000, with a standard deviation of 15.4. The tolerance is 7 of these.
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - 242)).toBeLessThan(108);
  });
});

describe("isTokenSecret", () => {
  it("accepts the secrets of mintTokenSecret", () => {
    for (const scope of ["ORGANIZATION", "PROJECT"] as const) {
      expect(isTokenSecret(mintTokenSecret(scope))).toBe(true);
    }
  });

  it("verifies the checksum, the CRC-32 of the first 34 characters in base62", () => {
    // Computed with zlib of Python.
    expect(isTokenSecret(`swo_${"0".repeat(30)}4HCpGK`)).toBe(true);
  });

  it("detects every error in a single character", () => {
    const secret = mintTokenSecret("ORGANIZATION");
    fc.assert(
      fc.property(fc.nat(39), fc.constantFrom(..."0aZ9bY_"), (place, character) => {
        const mistyped = secret.slice(0, place) + character + secret.slice(place + 1);
        expect(isTokenSecret(mistyped)).toBe(mistyped === secret);
      }),
    );
  });

  it("rejects every other format", () => {
    const secret = mintTokenSecret("PROJECT");
    const wrong = ["", "swp_", secret.slice(0, -1), `${secret}0`, ` ${secret}`, `${secret}\n`, secret.toUpperCase()];
    for (const text of wrong) expect(isTokenSecret(text)).toBe(false);
  });
});

describe("computeTokenDigest", () => {
  it("is the HMAC-SHA-256 of the secret under the pepper, in hexadecimal", () => {
    const pepper = new Uint8Array(32).fill(1);
    const digest = computeTokenDigest(pepper, "swo_x");
    expect(digest).toBe(createHmac("sha256", Buffer.alloc(32, 1)).update("swo_x").digest("hex"));
    expect(computeTokenDigest(new Uint8Array(32).fill(2), "swo_x")).not.toBe(digest);
  });
});
