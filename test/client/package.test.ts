import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodes } from "../cli/bundle.ts";
import { root } from "../processes.ts";

const program = `import { createClient, ConnectionError } from "@switchyard/client";
import { fileFromPath } from "@switchyard/client/node";
const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "none", retries: 0 });
const error = await client.getMe().catch((thrown) => thrown);
const { filename } = await fileFromPath(process.argv[1]);
process.stdout.write([error instanceof ConnectionError, filename].join(" "));
`;

const typed = `import { createClient, type Classifier } from "@switchyard/client";
import { fileFromPath } from "@switchyard/client/node";
const client = createClient();
const classifiers: readonly Classifier[] = await client.listClassifiers({ projectId: "prj_1" });
for await (const { filename } of client.all("listFiles", { projectId: "prj_1" })) filename.trim();
for await (const { progress } of client.watchExecution({ executionId: "bmk_1" })) progress?.done.toFixed();
await client.uploadFile({ projectId: "prj_1", file: await fileFromPath("a.pdf") });
// @ts-expect-error a path needs its id
await client.getClassifier({});
// @ts-expect-error there is no such state
await client.listModels({ projectId: "prj_1", status: "ASLEEP" });
classifiers.at(0)?.routeProjects.length.toFixed();
`;

describe("the client as others install it", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-client-"));
    execFileSync(process.execPath, [join(root, "libs/client/build.ts"), join(folder, "package")], { cwd: root });
    await mkdir(join(folder, "node_modules/@switchyard"), { recursive: true });
    await symlink(join(folder, "package"), join(folder, "node_modules/@switchyard/client"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await writeFile(join(folder, "program.js"), program);
    await writeFile(join(folder, "typed.ts"), typed);
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(nodes())("runs on %s", (node) => {
    expect(execFileSync(node, ["program.js"], { cwd: folder, encoding: "utf8" })).toBe("true program.js");
  });

  it("has types that hold under the strictest checks", () => {
    const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--noEmit"];
    const platform = ["--target", "es2022", "--module", "nodenext", "--types", "node"];
    const types = ["--typeRoots", join(root, "node_modules/@types")];
    execFileSync(process.execPath, [compiler, ...strict, ...platform, ...types, "typed.ts"], { cwd: folder });
  }, 120_000);
});
