import { readFileSync } from "node:fs";
import { join } from "node:path";
import { printComments } from "./generate-comments.ts";

describe("the table of comments", () => {
  it("is what the generator prints from the contracts", () => {
    const committed = readFileSync(join(import.meta.dirname, "gen/comments.ts"), "utf8");
    // When this fails: npm run generate, and commit what comes out.
    expect(committed).toBe(printComments());
  });
});
