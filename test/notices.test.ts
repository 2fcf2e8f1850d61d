import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./processes.ts";

/** Returns the sections of THIRD-PARTY-NOTICES by folder. */
async function sections(): Promise<ReadonlyMap<string, string>> {
  const [, ...found] = (await readFile(join(root, "THIRD-PARTY-NOTICES"), "utf8")).split(/\n-{80}\n\n/);
  return new Map(found.map((text) => [/^[\w./-]+/.exec(text)?.[0] ?? "", text]));
}

/** Returns the files that contain a match, except for those that git ignores. */
function filesWith(pattern: string, ...folders: readonly string[]): readonly string[] {
  const argv = ["grep", "--no-index", "--exclude-standard", "-ilE", "-e", pattern];
  const found = execFileSync("git", [...argv, "--", ...folders], { cwd: root, encoding: "utf8" });
  return found.split("\n").slice(0, -1);
}

/** Files of the project that mention licenses. */
const own =
  /^(?:LICENSE|THIRD-PARTY-NOTICES|test\/(?:notices|packages)\.test\.ts|apps\/classifier\/src\/domain\/.*\.ts)$/;

describe("THIRD-PARTY-NOTICES", () => {
  it("names every folder with third-party copyrights, and each copyright in it", async () => {
    const notices = await sections();
    const files = filesWith("copyright (\\(c\\) *)?[0-9]{4}").filter((file) => !own.test(file));
    expect(files.length).toBeGreaterThanOrEqual(14);
    for (const file of files) {
      const contract = file.replace(/^libs\/contracts\/src\/gen\//, "proto/");
      const section = [...notices].find(([folder]) => contract.startsWith(`${folder}/`))?.[1];
      const [copyright] = /Copyright .*/i.exec(await readFile(join(root, file), "utf8")) ?? [];
      expect([file, section]).toEqual([file, expect.stringContaining(copyright?.replace(/\.$/, "") ?? "")]);
    }
  });

  it("names every project that reference data is taken from", async () => {
    const section = (await sections()).get("apps/benchmark/src/domain/reference");
    const files = filesWith("github\\.com", ":(glob)apps/*/src/**/reference/**");
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files)
      for (const [address] of (await readFile(join(root, file), "utf8")).matchAll(
        /https:\/\/github\.com\/[\w-]+\/[\w-]+/g,
      ))
        expect(section).toContain(`From ${address}\n`);
  });

  it("names only folders that exist", async () => {
    for (const folder of (await sections()).keys()) expect(filesWith(".", folder)).not.toEqual([]);
  });
});
