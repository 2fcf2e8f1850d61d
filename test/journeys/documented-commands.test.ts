import { startEmbeddedMongo, type EmbeddedMongo } from "@switchyard/embedded-mongo";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getBlocks, runShell } from "../pages.ts";
import { root } from "../processes.ts";

/** Pages with commands or code, by the test that runs their blocks. */
const tested: Readonly<Record<string, string>> = {
  "README.md": "readme.test.ts",
  "apps/cli/README.md": "readme.test.ts",
  "libs/client/README.md": "readme.test.ts",
  "docs/accepted-values.md": "readme.test.ts",
  "docs/journey.md": "command-line.test.ts",
  "docs/storage.md": "here",
  "libs/embedded-mongo/README.md": "here",
  "CONTRIBUTING.md": "here",
};

/** Blocks of CONTRIBUTING.md that are not run, by their beginning, with the reason. The files that they name must exist. */
const exceptions: readonly (readonly [begin: string, reason: string])[] = [
  ["npm ci ", "installs the workspace again and runs all tests"],
  ["npm run generate", "generates code, draws samples and measures for minutes"],
  ["UPDATE_GOLDEN=1", "overwrites recorded examples, and needs a server and tools from outside the workspace"],
  ["npx nx run client:package", "packages.test.ts runs both commands"],
];

const read = (page: string): string => readFileSync(join(root, page), "utf8");

interface Package {
  readonly scripts?: Readonly<Record<string, string>>;
}

const getScripts = (folder: string): readonly string[] =>
  Object.keys((JSON.parse(read(join(folder, "package.json"))) as Package).scripts ?? {});

describe("the pages of the documentation", () => {
  it("contain only commands and code that a test covers", () => {
    const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" }).split("\n");
    const withBlocks = pages
      // The pages of docs/cli are generated from the definitions of the commands.
      .filter((page) => page !== "" && !page.startsWith("docs/cli/"))
      .filter((page) => getBlocks(read(page)).some(({ language }) => ["sh", "bash", "ts", "js"].includes(language)));
    expect(withBlocks.sort()).toEqual(Object.keys(tested).sort());
  });
});

describe("CONTRIBUTING.md", () => {
  const blocks = getBlocks(read("CONTRIBUTING.md"));
  const commands = blocks.filter(({ language }) => language === "sh");

  it("has only commands whose scripts, projects and files exist", () => {
    expect(commands.map(({ text }) => exceptions.find(([begin]) => text.startsWith(begin))?.[0])).toEqual(
      exceptions.map(([begin]) => begin),
    );
    const text = commands.map((block) => block.text).join("");
    const named = (pattern: RegExp): string[][] => [...text.matchAll(pattern)].map((match) => match.slice(1));
    for (const [script = ""] of named(/npm run ([\w:]+)/g)) expect(getScripts(".")).toContain(script);
    for (const [project = "", target = "", path] of named(/npx nx run (\w+):(\w+)(?: (src\S*))?/g)) {
      const folder = ["apps", "libs"].map((kind) => join(kind, project)).find((each) => existsSync(join(root, each)));
      expect(getScripts(folder ?? project)).toContain(target);
      if (path !== undefined) expect(existsSync(join(root, folder ?? project, path))).toBe(true);
    }
    for (const [paths = ""] of named(/npm test -- ([^#\n]+)/g))
      for (const path of paths.trim().split(" "))
        expect(execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" })).toContain(path);
  });

  it("lists every library and app", () => {
    const structure = blocks.find(({ text }) => text.startsWith("proto/"))?.text ?? "";
    const listed = [...structure.matchAll(/^((?:libs|apps)\/[\w-]+)/gm)].map(([, folder]) => folder);
    const tracked = execFileSync("git", ["ls-files", "libs/*/package.json", "apps/*/package.json"], {
      cwd: root,
      encoding: "utf8",
    });
    const present = tracked.trim().split("\n");
    expect(listed.sort()).toEqual(present.map((path) => path.replace("/package.json", "")).sort());
  });
});

describe("docs/storage.md and the page of the embedded store", () => {
  let folder: string;
  let target: EmbeddedMongo;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-storage-"));
    target = await startEmbeddedMongo({ folder: join(folder, "target") });
  });
  afterAll(async () => {
    await target?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("migrate the store to a database and back with the documented commands", async () => {
    // Replaces a replica set of several machines and the folder of backups.
    // hung-primary.test.ts uses the settings of the one block in JavaScript, which is for mongosh.
    const blocks = getBlocks(read("docs/storage.md"))
      .filter(({ language }) => language === "sh")
      .map(({ text }) => text.replace(/'mongodb:\/\/[^']*'/, `'${target.uri}'`).replaceAll("/backups/", `${folder}/`));
    expect(blocks).toHaveLength(3);
    // The programs of the workspace are on the PATH, where npx would find them too, and take longer to.
    const npx = 'npx() { "$@"; }';
    const script = ["set -euo pipefail", npx, "switchyard-server bootstrap Acme > /dev/null", ...blocks].join("\n");
    const printed = await runShell(script, { HOME: folder, SWITCHYARD_DATA: join(folder, "data"), MONGOD_BINARY: "" });
    expect(printed.match(/switchyard_configuration/g)?.length).toBeGreaterThan(0);
  });

  it("start the embedded store as shown", async () => {
    const [block] = getBlocks(read("libs/embedded-mongo/README.md"));
    const file = join(root, `test/embedded-example-${process.pid}.ts`);
    const imports = `import mongoose from "mongoose";\nimport { startEmbeddedMongo } from "@switchyard/embedded-mongo";\n`;
    const end = `console.log(mongoose.connection.name);\nawait mongoose.disconnect();\n`;
    const [start = "", closing = ""] = (block?.text ?? "")
      .replace(".switchyard", ":memory:")
      .split(/^(?=await server)/m);
    try {
      await writeFile(file, imports + start + end + closing);
      expect(await runShell(`node --disable-warning=ExperimentalWarning ${file}`, {})).toBe("extraction\n");
    } finally {
      await rm(file, { force: true });
    }
  });
});
