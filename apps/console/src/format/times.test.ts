import { formatTime, toBeginning, toEnd } from "./times.ts";

describe("days of filters", () => {
  it("begin and end at midnight of the caller", () => {
    expect(toBeginning("2026-11-30")).toBe(new Date(2026, 10, 30).toISOString());
    expect(toEnd("2026-11-30")).toBe(new Date(2026, 11, 1).toISOString());
    expect(["", "yesterday", "2026-1-1"].map(toBeginning)).toEqual([undefined, undefined, undefined]);
  });
});

describe("times", () => {
  it("are broken between the day and the hour only", () => {
    expect(formatTime(new Date(2026, 10, 27, 6, 56).toISOString())).toBe("27\u00a0Nov\u00a02026, 06:56");
    expect(formatTime(null)).toBe("–");
  });
});
