import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./processes.ts";

function run(program: string, args: readonly string[], input = ""): string {
  const env = { ...process.env, NODE_OPTIONS: "", NX_DAEMON: "false", NX_TUI: "false" };
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, program), ...args], {
    cwd: root,
    env,
    input,
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout.toString()}${stderr.toString()}`);
  return stdout.toString();
}

const boundaries = "@nx/enforce-module-boundaries";
const imports = "@typescript-eslint/no-restricted-imports";
const syntax = "no-restricted-syntax";
const domain = "apps/classifier/src/domain/decision/decision.ts";

/** What stands in a file, and the rule that it breaks; null for what is allowed. */
const cases: { says: string; file: string; text: string; rule: string; broken: boolean }[] = [
  {
    says: "an app imports no other app",
    file: "apps/classifier/src/main.ts",
    text: 'import "@switchyard/extraction";',
    rule: boundaries,
    broken: true,
  },
  {
    says: "an app imports libraries",
    file: "apps/classifier/src/main.ts",
    text: 'import "@switchyard/rpc";',
    rule: boundaries,
    broken: false,
  },
  {
    says: "the composition imports apps",
    file: "apps/standalone/src/system.ts",
    text: 'import "@switchyard/gateway";',
    rule: boundaries,
    broken: false,
  },
  {
    says: "a library imports no app",
    file: "libs/rest/src/index.ts",
    text: 'import "@switchyard/gateway";',
    rule: boundaries,
    broken: true,
  },
  {
    says: "mongoose stays in stores",
    file: "apps/classifier/src/service/classifications/classify.ts",
    text: 'import "mongoose";',
    rule: imports,
    broken: true,
  },
  {
    says: "stores use mongoose",
    file: "apps/classifier/src/store/classifiers.ts",
    text: 'import "mongoose";',
    rule: imports,
    broken: false,
  },
  ...["mongoose/types", "mongodb"].map((name) => ({
    says: `nor does ${name} leave them`,
    file: "apps/classifier/src/service/classifications/classify.ts",
    text: `import "${name}";`,
    rule: imports,
    broken: true,
  })),
  ...[
    "export const load = () => import('mongoose');",
    "export const port = process.env['PORT'];",
    "const { env } = process; export { env };",
    "export const port = globalThis.process.env['PORT'];",
    "export let count = 0;",
  ].map((text) => ({
    says: `a service has no ${text}`,
    file: "apps/classifier/src/service/classifications/classify.ts",
    text,
    rule: syntax,
    broken: true,
  })),
  {
    says: "errors are made in one place",
    file: "apps/classifier/src/service/classifications/classify.ts",
    text: 'import { ConnectError as Problem } from "@connectrpc/connect"; export const fail = () => new Problem("x");',
    rule: imports,
    broken: true,
  },
  ...["node:fs", "fs", "zod", "@connectrpc/connect", "@switchyard/rpc", "../../store/classifiers.ts", "mongoose"].map(
    (name) => ({
      says: `the domain does not import ${name}`,
      file: domain,
      text: `import "${name}";`,
      rule: imports,
      broken: true,
    }),
  ),
  {
    says: "the domain imports its neighbours",
    file: domain,
    text: 'import "./candidates.ts";',
    rule: imports,
    broken: false,
  },
];

describe("the boundaries of the house", () => {
  let dependencies: Record<string, { target: string }[]>;
  let found: string[][];

  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), "switchyard-graph-"));
    const file = join(folder, "graph.json");
    // This also makes the graph that the lint rule about projects reads; without one the rule says nothing.
    run("node_modules/nx/dist/bin/nx.js", ["graph", `--file=${file}`]);
    ({ dependencies } = JSON.parse(readFileSync(file, "utf8")).graph);
    rmSync(folder, { recursive: true });
    found = JSON.parse(run("test/lint-texts.ts", [], JSON.stringify(cases)));
  }, 180_000);

  it("are drawn in a graph that is not empty", () => {
    const toTargets = (project: string) => dependencies[project]?.map(({ target }) => target) ?? [];
    expect(toTargets("classifier")).toEqual(expect.arrayContaining(["access", "contracts", "rpc", "storage"]));
    expect(toTargets("standalone")).toEqual(
      expect.arrayContaining(["classifier", "configuration", "extraction", "gateway"]),
    );
    expect(toTargets("contracts")).toEqual([]);
  });

  it.each(cases.map((one, index) => ({ ...one, index })))("$says", ({ index, rule, broken }) => {
    expect(found[index]?.includes(rule)).toBe(broken);
  });
});
