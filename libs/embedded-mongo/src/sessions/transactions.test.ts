import { execFileSync } from "node:child_process";
import { join } from "node:path";

it("keeps what was replaced no longer than a snapshot needs it, also where transactions never pause", () => {
  const script = join(import.meta.dirname, "../testing/forgetting.ts");
  const env = { ...process.env, NODE_OPTIONS: "" };
  const held = execFileSync(process.execPath, ["--expose-gc", script], { encoding: "utf8", env });
  expect(Number(held)).toBeLessThan(20);
});
