import { foldText } from "./text-match.ts";

describe("folded text", () => {
  it.each([
    ["  “Total:  Due!” ", "total: due"],
    ["-- Note --", "note"],
    ["-12.50 -", "-12.50"],
    ["...", "..."],
    ["", ""],
  ])("has no surrounding punctuation: %j", (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  it("takes time in proportion to its length", () => {
    const dots = ".".repeat(1_000_000);
    expect(foldText(`a${dots}a${dots}`)).toBe(`a${dots}a`);
  });
});
