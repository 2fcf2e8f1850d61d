import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collectNotices } from "./index.ts";

describe("the notices of a bundle", () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "switchyard-notices-"));
    const install = async (folder: string, manifest: object, files: Record<string, string>) => {
      await mkdir(join(root, folder), { recursive: true });
      await writeFile(join(root, folder, "package.json"), JSON.stringify(manifest));
      for (const [name, text] of Object.entries(files)) await writeFile(join(root, folder, name), text);
    };
    await install("node_modules/b", { name: "b", version: "2.0.0", license: "ISC" }, { license: "The license of b\n" });
    await install(
      "apps/x/node_modules/@a/a",
      { name: "@a/a", version: "1.0.0", license: "Apache-2.0" },
      { "LICENSE.md": "The license of a", NOTICE: "The notice of a", "licenses.js": "no text" },
    );
    await install("node_modules/bare", { name: "bare", version: "3.0.0" }, {});
  });
  afterAll(() => rm(root, { recursive: true }));

  it("contain the texts of every package once, including nested ones", async () => {
    const files = ["node_modules/b/x.js", "apps/x/node_modules/@a/a/lib/y.js", "node_modules/b/z.js", "apps/x/own.ts"];
    const rule = `\n${"-".repeat(80)}\n\n`;
    expect((await collectNotices(files, root))?.split(rule)).toEqual([
      "This package contains the following software, under the licenses that follow.\n",
      "@a/a 1.0.0 (Apache-2.0)\n\nThe license of a\n\nThe notice of a\n",
      "b 2.0.0 (ISC)\n\nThe license of b\n",
    ]);
  });

  it("are undefined for a bundle of the workspace's own files", async () => {
    expect(await collectNotices(["apps/x/own.ts", "libs/y/src/index.ts"], root)).toBeUndefined();
  });

  it("cannot be created for a package without a license", async () => {
    await expect(collectNotices(["node_modules/bare/index.js"], root)).rejects.toThrow(
      "bare 3.0.0 has no license file",
    );
  });
});
