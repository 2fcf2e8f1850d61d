import { createIdGenerator, getFirstId, getIdTime, newId } from "./ids.ts";

describe("newId", () => {
  it("creates a prefix and 26 lower-case base32 characters", () => {
    expect(newId("mdl")).toMatch(/^mdl_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it("creates unique, ascending IDs", () => {
    const ids = Array.from({ length: 5000 }, () => newId("x"));
    expect(new Set(ids).size).toBe(5000);
    expect([...ids].sort()).toEqual(ids);
  });

  it("creates IDs that sort by time, and stay ascending if the clock is set back", () => {
    let time = 1_000;
    const generate = createIdGenerator({ now: () => time, random: () => 0.5 });
    const first = generate("x");
    time = 2_000;
    const later = generate("x");
    time = 500;
    const afterSetback = generate("x");
    expect([first, later, afterSetback]).toEqual([first, later, afterSetback].toSorted());
    expect(afterSetback.slice(0, 12)).toBe(later.slice(0, 12));
    expect(first).toBe("x_00000000z8" + "g".repeat(16));
  });
});

describe("the time of an ID", () => {
  it("is that of its generator's clock, and does not decrease if the clock is set back", () => {
    let time = Date.parse("2026-01-02T03:04:05.678Z");
    const generate = createIdGenerator({ now: () => time });
    expect(getIdTime(generate("x")).toISOString()).toBe("2026-01-02T03:04:05.678Z");
    time -= 1_000;
    expect(getIdTime(generate("two_parts")).toISOString()).toBe("2026-01-02T03:04:05.678Z");
  });

  it("divides the IDs of a prefix at any time", () => {
    const times = [1, 2, 31, 32, 1_000, 1_800_000_000_000, 2 ** 48 - 1];
    const ids = times.map((time) => createIdGenerator({ now: () => time })("x"));
    for (const time of times) {
      const bound = getFirstId("x", new Date(time));
      expect(ids.filter((id) => id >= bound)).toEqual(ids.filter((_, at) => (times[at] ?? 0) >= time));
    }
    expect(getFirstId("x", new Date(-1))).toBe(getFirstId("x", new Date(0)));
  });
});
