import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

it("is small enough to be read in an hour: under 3,500 lines, and no file over 400", () => {
  const folders = [import.meta.dirname, join(import.meta.dirname, "commands")];
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".ts") && !/\.(test|suite)\.ts$/.test(name))
      .map((name) => ({ name, lines: readFileSync(join(folder, name), "utf8").split("\n").length - 1 })),
  );
  const total = files.reduce((sum, { lines }) => sum + lines, 0);
  expect(total).toBeGreaterThan(1000);
  expect(total).toBeLessThan(3500);
  expect(files.filter(({ lines }) => lines > 400)).toEqual([]);
});
