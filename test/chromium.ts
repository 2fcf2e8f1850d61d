import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The Chromium for tests in a browser: CHROMIUM_BINARY, or the `chromium` on the PATH; undefined if there is neither. */
export const chromium = findChromium();

/** The `describe` for tests in a browser. Without Chromium they are skipped, and the title says so. */
export function describeInChromium(title: string, tests: () => void): void {
  if (chromium !== undefined) describe(title, tests);
  else describe.skip(`${title} (skipped: neither CHROMIUM_BINARY nor a chromium on the PATH)`, tests);
}

function findChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return process.env["CHROMIUM_BINARY"] || folders.map((folder) => join(folder, "chromium")).find(existsSync);
}
