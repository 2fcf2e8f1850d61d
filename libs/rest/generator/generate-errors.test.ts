import { readFileSync } from "node:fs";
import { join } from "node:path";
import { printErrors } from "./generate-errors.ts";

it("docs/errors.md is what the generator prints", async () => {
  expect(readFileSync(join(import.meta.dirname, "../../../docs/errors.md"), "utf8")).toBe(await printErrors());
});
