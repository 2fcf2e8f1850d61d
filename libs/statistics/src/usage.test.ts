import { addUsage } from "./index.ts";

describe("the sum of what language models used", () => {
  const use = (inputTokens: number, outputTokens: number, cost: number | null) => ({ inputTokens, outputTokens, cost });

  it("has all tokens and costs", () => {
    expect(addUsage([use(1, 2, 0.5), null, use(10, 20, 0.25)])).toEqual(use(11, 22, 0.75));
    expect(addUsage(new Set([use(1, 2, null)]))).toEqual(use(1, 2, null));
  });

  it("is null if nothing was used", () => {
    expect([addUsage([]), addUsage([null, null])]).toEqual([null, null]);
  });

  it("has no cost if something has none that used tokens", () => {
    expect(addUsage([use(1, 2, 0.5), use(1, 1, null), use(1, 1, 1)])).toEqual(use(3, 4, null));
    // A failure before the first answer, or an answer that was known already.
    expect(addUsage([use(0, 0, null), use(1, 2, 0.5), use(0, 0, 0)])).toEqual(use(1, 2, 0.5));
    expect(addUsage([use(0, 0, null)])).toEqual(use(0, 0, null));
  });
});
