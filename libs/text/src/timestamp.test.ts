import { parseTimestamp, printTimestamp } from "./index.ts";

describe("timestamps", () => {
  it.each([
    ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00:00.1Z", "2026-01-31T12:00:00.100Z"],
    ["2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.123Z"],
    ["2026-01-31T12:00:00.9999+02:00", "2026-01-31T10:00:00.999Z"],
    ["1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["2024-02-29T00:00:00-00:30", "2024-02-29T00:30:00.000Z"],
  ])("are read from %s as %s", (text, printed) => {
    const parts = parseTimestamp(text);
    expect(parts === undefined ? undefined : printTimestamp(parts)).toBe(printed);
  });

  it("are printed like dates of JavaScript, in every year and on every day of 400 years", () => {
    const print = (seconds: number): string => printTimestamp({ seconds: BigInt(seconds), nanos: 0 });
    for (let day = 0, today = Date.UTC(1999, 0, 1); day < 146_097; day += 1, today += 86_400_000)
      expect(print(today / 1000)).toBe(new Date(today).toISOString());
    const [first, last] = [-100_000_000_000, 300_000_000_000];
    for (let seconds = first; seconds <= last; seconds += 86_399 * 97) {
      const milliseconds = Math.abs(seconds) % 1000;
      const timestamp = { seconds: BigInt(seconds), nanos: milliseconds * 1_000_000 + 999_999 };
      expect(printTimestamp(timestamp)).toBe(new Date(seconds * 1000 + milliseconds).toISOString());
    }
  });

  it.each([
    "",
    "2026-01-31",
    "2026-01-31T12:00:00",
    "2026-13-01T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31T12:00:60Z",
    "2026-01-31 12:00:00Z",
    "2026-01-31T12:00:00.Z",
    "12026-01-31T12:00:00Z",
    "9999-12-31T23:59:59-00:01",
    "0001-01-01T00:00:00+00:01",
  ])("are rejected: %j", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
