import fc from "fast-check";
import { deadlineIn, hasDeadline, limitDeadline, withDeadline } from "./deadline-header.ts";

describe("the deadline header", () => {
  it("transmits a deadline, never shortened, and extended by at most a second", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 9e10, noNaN: true }), (timeoutMs) => {
        const read = deadlineIn(withDeadline({}, timeoutMs)) ?? Number.NaN;
        expect(read).toBeGreaterThanOrEqual(timeoutMs);
        expect(read).toBeLessThan(timeoutMs + 1_000);
      }),
    );
  });

  it("is absent without a deadline", () => {
    for (const timeoutMs of [undefined, 0, -1]) expect(hasDeadline(withDeadline({}, timeoutMs))).toBe(false);
  });

  it.each([
    ["1H", 3_600_000],
    ["2M", 120_000],
    ["3S", 3_000],
    ["4m", 4],
    ["5000u", 5],
    ["6000000n", 6],
    ["123456789m", undefined],
    ["5", undefined],
    ["-5m", undefined],
    ["5x", undefined],
  ])("is read from %s as %s ms", (text, expected) => {
    expect(deadlineIn(new Headers({ "grpc-timeout": text }))).toBe(expected);
  });

  it.each([
    ["grpc-timeout", "99999999H", "2147483S"],
    ["grpc-timeout", "2147483S", "2147483S"],
    ["grpc-timeout", "abc", "abc"],
    ["connect-timeout-ms", "9999999999", "2147483647"],
    ["connect-timeout-ms", "99999999999", "99999999999"],
    ["connect-timeout-ms", "5", "5"],
  ])("is limited to what a timer can wait for: %s: %s", (header, text, limited) => {
    const headers = new Headers({ [header]: text });
    limitDeadline(headers);
    expect([...headers]).toEqual([[header, limited]]);
  });
});
