import { hasSigns } from "./signs.ts";

describe("signs of hidden text", () => {
  it("are looked for in little time if the size of a page is a long number", () => {
    const page = `1 0 obj << /Type /Page /MediaBox [${"1".repeat(20_000)}x] >> endobj`;
    expect(hasSigns(Buffer.from(`%PDF-1.4\n${page}\n`))).toBe(false);
  });
});
