import {
  formatBytes,
  formatDuration,
  formatInterval,
  formatPoints,
  formatPointsInterval,
  formatPValue,
  formatRate,
  formatValue,
} from "./figures.ts";

describe("figures", () => {
  it("are rounded, and say when there is none", () => {
    expect([formatRate(0.98765), formatRate(0), formatRate(null)]).toEqual(["98.8\u00a0%", "0.0\u00a0%", "–"]);
    expect(formatInterval({ low: 0.5, high: 1 })).toBe("50.0\u00a0%\u00a0to 100.0\u00a0%");
    expect([0.0214, -0.0214, -0.0001, null].map((each) => formatPoints(each))).toEqual(["+2.1", "−2.1", "0.0", "–"]);
    expect(formatPointsInterval({ low: -0.01, high: 0.02 })).toBe("−1.0\u00a0to +2.0");
    expect([0.0001, 0.04567, null].map((each) => formatPValue(each))).toEqual(["< 0.001", "0.046", "–"]);
  });

  it("have the unit that fits", () => {
    expect([12.4, 1_540, 61_000, 3_660_000].map(formatDuration)).toEqual(["12 ms", "1.5 s", "1 min 1 s", "1 h 1 min"]);
    expect([999, 1_500, 25_000_000].map(formatBytes)).toEqual(["999 B", "1.5 kB", "25.0 MB"]);
    expect([999_949, 999_950, 5e9].map(formatBytes)).toEqual(["999.9 kB", "1.0 MB", "5.0 GB"]);
    const limits = [999.6, 59_960, 119_700, 3_599_900];
    expect(limits.map(formatDuration)).toEqual(["1.0 s", "1 min 0 s", "2 min 0 s", "1 h 0 min"]);
  });

  it("show values of every type as text", () => {
    expect([null, "<b>", 0, false, { a: 1 }].map(formatValue)).toEqual(["–", "<b>", "0", "false", '{"a":1}']);
  });
});
