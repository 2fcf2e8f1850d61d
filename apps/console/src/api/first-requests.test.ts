import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..");
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("api/") && !file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(folder, file), "utf8"))
  .join("\n");

describe("the requests that are made ahead", () => {
  const ahead = [...sources.matchAll(/prefetch(Call|Items|AllItems)\(([^()]*)/g)];

  it("are those that a page makes, in the same way and by the same definition", () => {
    expect(ahead.length).toBeGreaterThan(15);
    for (const [whole, kind = "", definition = ""] of ahead) {
      expect([whole, /^\.\.\.firstRequests\.\w+$/.test(definition)]).toEqual([whole, true]);
      expect([
        whole,
        sources.includes(`use${kind}(${definition}(`) || sources.includes(`use${kind}(\n    ${definition}(`),
      ]).toEqual([whole, true]);
    }
  });
});
