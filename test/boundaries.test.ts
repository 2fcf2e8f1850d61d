import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
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

const projects = "@nx/enforce-module-boundaries";
const imports = "@typescript-eslint/no-restricted-imports";
const syntax = "no-restricted-syntax";
const globals = "no-restricted-globals";
const properties = "no-restricted-properties";
const state = "switchyard/no-module-state";
const rules = [projects, imports, syntax, globals, properties, state];

const service = "apps/classifier/src/service/classifications/classify.ts";
const store = "apps/classifier/src/store/classifiers.ts";
const domain = "apps/classifier/src/domain/decision/decision.ts";
const deepDomain = "apps/extraction/src/domain/fields/dates/spans/span.ts";
const text = "libs/text/src/fold.ts";

/** What each place must not contain: the contents of a file there, and the rule that it breaks. */
const refused: Record<string, [contents: string, rule: string][]> = {
  "apps/classifier/src/main.ts": [
    ['import "@switchyard/extraction";', projects],
    ['import "@switchyard/rest";', projects],
  ],
  "apps/cli/src/main.ts": [
    ['import "@switchyard/rpc";', projects],
    ['import "@switchyard/contracts/switchyard/identity/v1/identity";', projects],
  ],
  "apps/gateway/src/gateway.ts": [
    ['import "@switchyard/storage";', projects],
    ['import type { Store } from "@switchyard/change-feed";', projects],
  ],
  "libs/rest/src/index.ts": [
    ['import "@switchyard/gateway";', projects],
    ['import "@switchyard/rpc";', projects],
    ['export * from "@switchyard/access";', projects],
  ],
  "libs/rpc/src/index.ts": [
    ['import "@switchyard/access";', projects],
    ['import "@switchyard/environment";', projects],
  ],
  "libs/access/src/index.ts": [
    ['import "@switchyard/storage";', projects],
    ['export const load = () => import("@switchyard/rest");', projects],
  ],
  "libs/storage/src/index.ts": [
    ['import "@switchyard/change-feed";', projects],
    ['import "@switchyard/embedded-mongo";', projects],
  ],
  "libs/matching/src/index.ts": [
    ['import "@switchyard/rpc";', projects],
    ["export const at = Date.now();", properties],
  ],
  "libs/environment/src/index.ts": [['import "@switchyard/text";', projects]],
  "libs/client/src/index.ts": [['import "@switchyard/terminal";', projects]],
  [service]: [
    ['import "mongoose";', imports],
    ['import "mongoose/types";', imports],
    ['import "mongodb";', imports],
    ['export const load = () => import("mongoose");', syntax],
    ['import "../../testing/bulk.ts";', imports],
    ['import { sample } from "@switchyard/storage/testing"; sample();', imports],
    [
      'import { ConnectError as Problem } from "@connectrpc/connect"; export const fail = () => new Problem("x");',
      imports,
    ],
    ['export const port = process.env["PORT"];', syntax],
    ['export const port = process["env"]["PORT"];', syntax],
    ["export const port = process[`env`].PORT;", syntax],
    ["const { env } = process; export { env };", syntax],
    ["let env; export const read = () => (({ env } = process), env);", syntax],
    ["export const read = ({ env } = process) => env;", syntax],
    ['export const port = globalThis.process.env["PORT"];', syntax],
    ['export const port = globalThis["process"].env;', syntax],
    ["const { process: own } = globalThis; export { own };", syntax],
    ['import { env } from "process"; export { env };', imports],
    ['import { env } from "node:process"; export { env };', imports],
    ['export const load = () => import("node:process");', syntax],
    ["let count = 0; export const next = () => (count += 1);", state],
    ["export let count = 0;", state],
    ["export var count = 0;", state],
    ["const cache = new Map<string, string>(); export { cache };", state],
    ["export const seen = new Set();", state],
    ['export const seen = new Set(["a"]);', state],
    ["export const queue: string[] = [];", state],
    ["export const caches = { texts: new Map() };", state],
    ["const counter = { value: 0 }; export const next = () => (counter.value += 1);", state],
    ["const names = ['a']; export const add = (name: string) => names.push(name);", state],
    ["export class Counter { static value = 0; }", state],
  ],
  "libs/rpc/src/channels/channel.ts": [
    ['import { env } from "process"; export { env };', imports],
    ['import "mongoose";', imports],
  ],
  [store]: [
    ['import "../service/classifications/classify.ts";', imports],
    ['import { env } from "process"; export { env };', imports],
  ],
  "apps/extraction/src/store.ts": [['import type { Service } from "./service/files.ts";', imports]],
  [domain]: [
    ...["node:fs", "fs", "node:crypto", "node:timers", "zod", "@connectrpc/connect", "@switchyard/rpc", "mongoose"].map(
      (name): [string, string] => [`import "${name}";`, imports],
    ),
    ['import "../../store/classifiers.ts";', imports],
    ['import "./../../service/classifications/classify.ts";', imports],
    ['export const load = () => import("./candidates.ts");', syntax],
    ["export const now = () => Date.now();", properties],
    ['export const now = () => Date["now"]();', properties],
    ["const { now } = Date; export { now };", properties],
    ["export const now = () => new Date();", syntax],
    ["export const now = () => Date();", syntax],
    ["const Clock = Date; export const now = () => Clock.now();", syntax],
    ["export const now = () => performance.now();", globals],
    ["export const now = () => process.hrtime();", globals],
    ["export const now = () => globalThis.performance.now();", globals],
    ["export const draw = () => Math.random();", properties],
    ["export const id = () => crypto.randomUUID();", globals],
    ['export const load = () => fetch("http://127.0.0.1/");', globals],
    ["export const later = (task: () => void) => setTimeout(task, 1);", globals],
    ["export const later = (task: () => void) => queueMicrotask(task);", globals],
    ["export const cache = new Map<string, string>();", state],
  ],
  [deepDomain]: [
    ['import "../../../../reading/index.ts";', imports],
    ["export const now = () => Date.now();", properties],
    ["export const now = () => performance.now();", globals],
  ],
  [text]: [
    ['import "@switchyard/contracts/switchyard/identity/v1/identity";', projects],
    ['import "node:crypto";', imports],
    ["export const draw = () => Math.random();", properties],
  ],
  "apps/classifier/src/service/classifications/classify.test.ts": [['vi.mock("./routing.ts");', syntax]],
};

/** What each place may contain. */
const accepted: Record<string, string[]> = {
  "apps/classifier/src/main.ts": ['import "@switchyard/rpc";', 'import "@switchyard/change-feed";'],
  "apps/cli/src/main.ts": ['import "@switchyard/client";'],
  "apps/cli/build.ts": ['import "@switchyard/packaging";'],
  "apps/standalone/src/system.ts": ['import "@switchyard/gateway";'],
  "libs/storage/src/testing/database.ts": ['import "@switchyard/embedded-mongo";'],
  [service]: [
    'export const words: ReadonlySet<string> = new Set(["a"]);',
    "export const createCache = () => new Map<string, string>();",
    "export const now = () => Date.now();",
  ],
  [store]: ['import "mongoose";', 'import "../domain/decision/decision.ts";'],
  "apps/classifier/src/config.ts": ["export const readConfig = (variables = process.env) => variables;"],
  [domain]: [
    'import "./candidates.ts";',
    'import "../scoring/scorer.ts";',
    'import "@switchyard/text";',
    "export const day = (time: string) => new Date(time);",
  ],
  [deepDomain]: ['import "../../../candidates/dates.ts";'],
};

const everyProject = ["libs", "apps"]
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .filter((folder) => folder !== "libs/packaging" && folder !== "apps/standalone");

const cases = [
  // Only builds import it, so this detects a project without a scope, or with one that the configuration does not list.
  ...everyProject.map((folder) => ({
    file: `${folder}/src/index.ts`,
    text: 'import "@switchyard/packaging";',
    rule: projects,
  })),
  ...Object.entries(refused).flatMap(([file, probes]) => probes.map(([text, rule]) => ({ file, text, rule }))),
  ...Object.entries(accepted).flatMap(([file, texts]) => texts.map((text) => ({ file, text, rule: null }))),
].map((probe, index) => ({ ...probe, index }));

describe("the module boundaries", () => {
  let dependencies: Record<string, { target: string }[]>;
  let found: string[][];

  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), "switchyard-graph-"));
    const file = join(folder, "graph.json");
    // This also creates the graph that the lint rule about projects reads. Without a graph the rule reports nothing.
    run("node_modules/nx/dist/bin/nx.js", ["graph", `--file=${file}`]);
    ({ dependencies } = JSON.parse(readFileSync(file, "utf8")).graph);
    rmSync(folder, { recursive: true });
    found = JSON.parse(run("test/lint-texts.ts", [], JSON.stringify(cases)));
  });

  it("are checked on a graph that is not empty", () => {
    const toTargets = (project: string) => dependencies[project]?.map(({ target }) => target) ?? [];
    expect(toTargets("classifier")).toEqual(expect.arrayContaining(["access", "contracts", "rpc", "storage"]));
    expect(toTargets("standalone")).toEqual(
      expect.arrayContaining(["classifier", "configuration", "extraction", "gateway"]),
    );
    expect(toTargets("contracts")).toEqual([]);
  });

  it.each(cases.filter(({ rule }) => rule !== null))("reject in $file: $text", ({ index, rule }) => {
    expect(found[index]).toContain(rule);
  });

  it.each(cases.filter(({ rule }) => rule === null))("accept in $file: $text", ({ index }) => {
    expect(found[index]?.filter((rule) => rules.includes(rule) || !/^[@a-z]/.test(rule))).toEqual([]);
  });
});
