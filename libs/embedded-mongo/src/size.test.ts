import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

it("has no file over 300 lines", () => {
  const folders = [import.meta.dirname, join(import.meta.dirname, "commands")];
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".ts") && !/\.(test|suite)\.ts$/.test(name))
      .map((name) => ({ name, lines: readFileSync(join(folder, name), "utf8").split("\n").length - 1 })),
  );
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter(({ lines }) => lines > 300)).toEqual([]);
});
