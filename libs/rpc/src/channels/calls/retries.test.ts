import { noConnection, violation } from "./failure.ts";
import { createRetries } from "./retries.ts";

const unavailable = noConnection(new Error("away"));

describe("createRetries", () => {
  it("attempts idempotent calls again three times, with growing delays", () => {
    const retries = createRetries(true, () => 0.5);
    const delays = Array.from({ length: 4 }, () => retries.next(unavailable, false));
    expect(delays.map((delay) => (delay === undefined ? undefined : Math.round(delay)))).toEqual([
      ...[100, 200, 400],
      undefined,
    ]);
    expect(retries.count).toBe(3);
  });

  it("attempts other calls and other failures only once", () => {
    expect(createRetries(false).next(unavailable, false)).toBeUndefined();
    expect(createRetries(true).next(violation("wrong"), false)).toBeUndefined();
    expect(createRetries(true).next(noConnection(undefined, { isFinal: true }), false)).toBeUndefined();
  });

  it("attempts any call that was not processed again at once, but only the first time", () => {
    for (const isIdempotent of [false, true]) {
      const retries = createRetries(isIdempotent, () => 0.5);
      expect(retries.next(unavailable, true)).toBe(0);
      expect(retries.count).toBe(0);
      expect(retries.next(unavailable, true)).toBe(isIdempotent ? 100 : undefined);
    }
  });

  it("honors what the server says about further attempts", () => {
    const retries = createRetries(true, () => 0.5);
    expect(retries.next(unavailable, false)).toBe(100);
    expect(retries.next({ ...unavailable, pushback: "30" }, false)).toBe(30);
    expect(retries.next(unavailable, false)).toBe(100);
    for (const pushback of ["-1", "soon", "", "1.5", "99999999999"]) {
      expect(createRetries(true).next({ ...unavailable, pushback }, false)).toBeUndefined();
    }
  });
});
