import { execFileSync } from "node:child_process";
import { join } from "node:path";

it("an update of many documents and the building of an index do not keep everything in memory", () => {
  const script = join(import.meta.dirname, "../testing/held-documents.ts");
  const env = { ...process.env, NODE_OPTIONS: "" };
  const held = execFileSync(process.execPath, ["--expose-gc", script], { encoding: "utf8", env }).trim().split("\n");
  expect(held.map(Number)).toEqual([expect.any(Number), expect.any(Number)]);
  for (const mebibytes of held) expect(Number(mebibytes)).toBeLessThan(20);
});
