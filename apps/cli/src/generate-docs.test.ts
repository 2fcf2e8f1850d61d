import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandPath } from "./parsing/command.ts";
import { commands } from "./commands/index.ts";
import { documentationPages } from "./generate-docs.ts";
import { version } from "./version.ts";

const folder = join(import.meta.dirname, "../../../docs/cli");

describe("docs/cli", () => {
  it("equals the pages generated from the definitions of the commands", async () => {
    const pages = await documentationPages();
    expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort());
    // If this fails, run `npm run generate` and commit the result.
    for (const [name, text] of pages) expect(readFileSync(join(folder, name), "utf8")).toBe(text);
    const whole = [...pages.values()].join("\n");
    for (const command of commands) expect(whole).toContain(`# ${commandPath(command)}\n`);
  });
});

describe("version", () => {
  it("is the version of the package", () => {
    expect(JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")).version).toBe(version);
  });
});
