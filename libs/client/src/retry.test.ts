import { mayRetry, retryAfterMs, retryDelayMs } from "./retry.ts";

describe("mayRetry", () => {
  it.each([502, 503, 504, 408])("is true after a %i for reads, and for a POST with a key", (status) => {
    expect(mayRetry({ method: "GET" }, { status }, false)).toBe(true);
    expect(mayRetry({ method: "POST" }, { status }, true)).toBe(true);
    expect(mayRetry({ method: "POST" }, { status }, false)).toBe(false);
    for (const method of ["PATCH", "PUT", "DELETE"] as const)
      expect(mayRetry({ method }, { status }, true)).toBe(false);
  });

  it.each([400, 401, 403, 404, 409, 410, 413, 422, 500])("is false after a %i", (status) => {
    for (const method of ["GET", "POST", "DELETE"] as const) expect(mayRetry({ method }, { status }, true)).toBe(false);
  });

  it("is true after a 429 for any call", () => {
    for (const method of ["GET", "POST", "PATCH", "DELETE"] as const)
      expect(mayRetry({ method }, { status: 429 }, false)).toBe(true);
  });

  it("is true without a response for reads, and for a POST with a key", () => {
    expect(mayRetry({ method: "GET" }, "no response", false)).toBe(true);
    expect(mayRetry({ method: "POST" }, "no response", false)).toBe(false);
    expect(mayRetry({ method: "POST" }, "no response", true)).toBe(true);
  });
});

describe("retryDelayMs", () => {
  it("doubles from 250 ms to 8 s, minus a random part of up to half", () => {
    expect([0, 1, 2, 5, 9].map((attempt) => retryDelayMs(attempt, null, 1, 0))).toEqual([250, 500, 1000, 8000, 8000]);
    expect(retryDelayMs(0, null, 0, 0)).toBe(125);
  });

  it("uses Retry-After, in seconds or as a date, unless that is too long", () => {
    const now = Date.parse("2026-11-01T00:00:00Z");
    expect(retryDelayMs(0, "3", 0, now)).toBe(3000);
    expect(retryDelayMs(0, "Sun, 01 Nov 2026 00:00:05 GMT", 0, now)).toBe(5000);
    expect(retryDelayMs(0, "61", 0, now)).toBeUndefined();
    expect(retryAfterMs("Sat, 31 Oct 2026 00:00:00 GMT", now)).toBe(0);
    expect(retryDelayMs(0, "soon", 1, now)).toBe(250);
  });
});
