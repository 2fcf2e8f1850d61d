import { shouldRecordUse, getTokenState } from "./token-state.ts";

const now = new Date(1_000_000);
const before = new Date(999_999);
const after = new Date(1_000_001);

describe("getTokenState", () => {
  it.each([
    [null, null, "ACTIVE"],
    [after, after, "ACTIVE"],
    [now, null, "EXPIRED"],
    [null, now, "REVOKED"],
    [before, before, "REVOKED"],
  ])("of a token that expires at %p and was revoked at %p is %s", (expiresAt, revokedAt, state) => {
    expect(getTokenState({ expiresAt, revokedAt }, now)).toBe(state);
  });
});

describe("shouldRecordUse", () => {
  it("is true for the first use, and then once a minute", () => {
    const uses = [null, new Date(940_001), new Date(940_000)];
    expect(uses.map((lastUsedAt) => shouldRecordUse(lastUsedAt, now))).toEqual([true, false, true]);
  });
});
