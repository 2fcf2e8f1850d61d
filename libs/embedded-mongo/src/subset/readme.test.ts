import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceLists } from "./readme.ts";

it("README.md contains the printed list of supported features", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  expect(replaceLists(readme)).toBe(readme);
});

it("replaceLists rejects a page without the markers of the printed part", () => {
  expect(() => replaceLists("# Without markers\n")).toThrow("lacks the markers");
});
