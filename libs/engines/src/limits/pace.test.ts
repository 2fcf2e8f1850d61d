import { createPace } from "./pace.ts";

const minute = 60_000;

describe("the pace of requests", () => {
  it("has pauses that are over when the endpoint has said", () => {
    const pace = createPace(undefined);
    pace.pauseUntil(2 * minute, 0);
    expect(pace.reserve(0, minute)).toBeUndefined();
    expect(pace.reserve(0, 10 * minute)).toBe(2 * minute);
    expect(pace.reserve(3 * minute, 10 * minute)).toBe(3 * minute);
  });

  it.each([60, 60 * 24 * 365, Infinity])("is tried again five minutes after a request for %s minutes", (minutes) => {
    const pace = createPace(undefined);
    pace.pauseUntil(minutes * minute, 0);
    expect(pace.reserve(5 * minute - 1, 10 * minute)).toBeUndefined();
    expect(pace.reserve(5 * minute, 10 * minute)).toBe(5 * minute);
    pace.pauseUntil(6 * minute, 5 * minute);
    expect(pace.reserve(5 * minute, 10 * minute)).toBe(6 * minute);
  });
});
