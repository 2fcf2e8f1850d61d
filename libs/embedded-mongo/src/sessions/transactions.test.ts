import { execFileSync } from "node:child_process";
import { join } from "node:path";

it("releases replaced documents when no snapshot needs them, even if there is always an open transaction", () => {
  const script = join(import.meta.dirname, "../testing/forgetting.ts");
  const env = { ...process.env, NODE_OPTIONS: "" };
  const held = execFileSync(process.execPath, ["--expose-gc", script], { encoding: "utf8", env });
  expect(Number(held)).toBeLessThan(20);
});
