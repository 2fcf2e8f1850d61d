import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { nodes, runToEnd } from "./cli/bundle.ts";
import { root } from "./processes.ts";
import { givenOffice } from "./specification/testing/office.ts";

const npm = process.platform === "win32" ? "npm.cmd" : "npm";

const program = `import { createClient, NotFoundError } from "@switchyard/client";
import { fileFromPath } from "@switchyard/client/node";
const client = createClient();
const [classifier] = await client.listClassifiers({ projectId: process.argv[2] });
const error = await client.getClassifier({ classifierId: "clf_nothing" }).catch((thrown) => thrown);
const { filename } = await fileFromPath(process.argv[1]);
process.stdout.write([classifier.name, error instanceof NotFoundError, filename].join(", "));
`;

const typed = `import { createClient, type Classifier } from "@switchyard/client";
const client = createClient();
const classifiers: readonly Classifier[] = await client.listClassifiers({ projectId: "prj_1" });
for await (const { filename } of client.all("listFiles", { projectId: "prj_1" })) filename.trim();
for await (const { progress } of client.watchExecution({ executionId: "bmk_1" })) progress?.done.toFixed();
await client.uploadFile({ projectId: "prj_1", file: new File(["text"], "a.txt") });
// @ts-expect-error the ID of the path is required
await client.getClassifier({});
// @ts-expect-error no such status
await client.listModels({ projectId: "prj_1", status: "ASLEEP" });
classifiers.at(0)?.routeProjects.length.toFixed();
`;

const typedOnNode = `import { fileFromPath } from "@switchyard/client/node";
${typed}await client.uploadFile({ projectId: "prj_1", file: await fileFromPath("a.pdf") });
`;

interface Locked {
  readonly version?: string;
  /** The folder of a package of the workspace, if the entry is a link. */
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Returns the third-party packages that a project needs at runtime according to the lockfile, as `name version`. */
async function getDependencies(project: string): Promise<readonly string[]> {
  const lockfile = await readFile(join(root, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(lockfile) as { packages: Readonly<Record<string, Locked>> };
  const found = new Set<string>();
  const add = (folder: string): void => {
    for (const name of Object.keys(packages[folder]?.dependencies ?? {})) {
      const above = folder.split("/").map((_, index, steps) => steps.slice(0, steps.length - index).join("/"));
      const places = [...above.map((path) => `${path}/node_modules/${name}`), `node_modules/${name}`];
      const place = places.find((path) => path in packages) ?? "";
      const { link, resolved, version } = packages[place] ?? {};
      if (link !== true) found.add(`${name} ${version}`);
      add(link === true && resolved !== undefined ? resolved : place);
    }
  };
  add(project);
  return [...found].sort();
}

describe("the packages, installed from their tarballs into an empty folder", () => {
  const given = givenOffice();
  let folder: string;
  const installed = (path: string) => join(folder, "node_modules", path);
  const read = (path: string) => readFile(installed(path), "utf8");

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-packages-"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const tarballs = [];
    for (const project of ["libs/client", "apps/cli"]) {
      const cwd = join(root, project);
      const printed = execFileSync(npm, ["run", "package", "--silent"], { cwd, encoding: "utf8", stdio: "pipe" });
      tarballs.push(join(cwd, "dist", printed.trim()));
    }
    // Offline, because no other package may be needed.
    const quietly = ["--offline", "--no-audit", "--no-fund", "--cache", join(folder, "cache")];
    execFileSync(npm, ["install", ...quietly, ...tarballs], { cwd: folder, stdio: "pipe" });
    await writeFile(join(folder, "program.js"), program);
    await writeFile(join(folder, "typed.ts"), typed);
    await writeFile(join(folder, "typed-on-node.ts"), typedOnNode);
    await mkdir(join(folder, "empty"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const environment = () => ({ SWITCHYARD_BASE_URL: given.system.url, SWITCHYARD_TOKEN: given.system.token });

  it("install without other packages", async () => {
    const found = await readdir(installed("."));
    expect(found.filter((name) => !name.startsWith("."))).toEqual(["@switchyard", "switchyard"]);
    expect(await readdir(installed("@switchyard"))).toEqual(["client"]);
    const files = await readdir(installed("."), { recursive: true });
    expect(files.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))).toEqual([]);
  });

  it.each(nodes())("call a server on %s", async (node) => {
    const cwd = join(folder, "empty");
    const projectId = given.office.projectId;
    const client = await runToEnd(node, [join(folder, "program.js"), projectId], { cwd, environment: environment() });
    expect(client).toEqual({ exitCode: 0, stdout: "Accounts payable inbox, true, program.js", stderr: "" });
    const cli = (argv: readonly string[]) =>
      runToEnd(node, [installed("switchyard/switchyard.js"), ...argv], { cwd, environment: environment() });
    const listed = await cli(["classify", "list", "--project-id", projectId]);
    expect(listed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(listed.stdout).toContain("Accounts payable inbox\tPROJECT");
  });

  it("install the command on the PATH", async () => {
    const { version } = JSON.parse(await readFile(join(root, "apps/cli/package.json"), "utf8"));
    const command = (argv: readonly string[]) => runToEnd(installed(".bin/switchyard"), argv, { cwd: folder });
    expect(await command(["--version"])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
    expect((await command(["--help"])).stdout).toContain("classify");
    expect((await command(["classify", "list"])).exitCode).toBe(2);
  });

  const strict = [
    "--strict",
    "--exactOptionalPropertyTypes",
    "--skipLibCheck",
    "false",
    "--noEmit",
    "--pretty",
    "false",
  ];
  const node = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
  const onNode = [...node, "--module", "nodenext", "--lib", "es2022"];
  const inBrowsers = ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2022,dom"];
  it.each([
    ["Node", "typed-on-node.ts", onNode],
    ["browsers", "typed.ts", inBrowsers],
  ])("have types for %s that pass the strictest checks", async (_, file, platform) => {
    const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
    const compiled = await runToEnd(process.execPath, [compiler, ...strict, "--target", "es2022", ...platform, file], {
      cwd: folder,
    });
    expect(compiled).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  it("can be bundled for browsers", async () => {
    const { warnings, outputFiles, metafile } = await build({
      stdin: { contents: 'export { createClient } from "@switchyard/client";', resolveDir: folder },
      bundle: true,
      write: false,
      metafile: true,
      platform: "browser",
      format: "esm",
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    expect(Object.keys(metafile.inputs).map((path) => basename(path))).toEqual(["index.js", "<stdin>"]);
    expect(outputFiles[0]?.text).not.toMatch(/\b(?:require|import)\(|node:/);
  });

  it("contain their license and those of bundled packages", async () => {
    const license = await readFile(join(root, "LICENSE"), "utf8");
    for (const name of ["@switchyard/client", "switchyard"]) expect(await read(`${name}/LICENSE`)).toBe(license);
    const notices = await read("switchyard/THIRD-PARTY-NOTICES");
    const titles = [...notices.matchAll(/^(\S+ \d+\.\d+\.\d+) \(.*\)$/gm)].map(([, title]) => title);
    expect(titles).toEqual(await getDependencies("apps/cli"));
    expect(notices.match(/Copyright .*/g)?.length).toBeGreaterThanOrEqual(titles.length);
    expect(await getDependencies("libs/client")).toEqual([]);
  });

  it("cannot be packed from the sources by mistake", async () => {
    for (const project of ["libs/client", "apps/cli"]) {
      const packed = await runToEnd(npm, ["pack", "--dry-run"], {
        cwd: join(root, project),
        environment: { HOME: folder },
      });
      expect(packed.exitCode).not.toBe(0);
      expect(packed.stderr).toMatch(/made by: npx nx run (?:client|cli):package/);
    }
  });
});
