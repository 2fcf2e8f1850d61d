import { retryAfterMs } from "./retry-after.ts";

describe("the header Retry-After", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");

  it.each([
    [null, undefined],
    ["soon", undefined],
    ["2", 2_000],
    [" 0.5 ", 500],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ])("is a number of seconds or a date: %j", (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});
