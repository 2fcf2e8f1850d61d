import { createIdGenerator, newId } from "./ids.ts";

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
