import { toBeginning, toEnd } from "./times.ts";

describe("days of filters", () => {
  it("begin and end at midnight of the caller", () => {
    expect(toBeginning("2026-11-30")).toBe(new Date(2026, 10, 30).toISOString());
    expect(toEnd("2026-11-30")).toBe(new Date(2026, 11, 1).toISOString());
    expect(["", "yesterday", "2026-1-1"].map(toBeginning)).toEqual([undefined, undefined, undefined]);
  });
});
