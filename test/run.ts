/**
 * `npm test`: runs every test of the workspace, and prints `N passed, N failed` at the end. With `--counts=long` races, kills and fuzzing
 * run with their full counts, and the tests of `test/faults` run after all others, one file at a time: with these counts their loads need the
 * whole machine. All other arguments are passed to Vitest: parts of the paths of test files, and `-t` with a pattern for titles. The
 * commands that the services send to their databases must be within the subset of MongoDB that libs/embedded-mongo supports.
 */
import { supportedFeatures } from "@switchyard/embedded-mongo/subset";
import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { sentCommandsFolder } from "./subset/preload.ts";
import { examine } from "./subset/subset.ts";
import type { Findings, Note } from "./subset/subset.ts";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(findMemory() ?? tmpdir(), "switchyard-test-"));
const sent = join(folder, "sent");
mkdirSync(sent);
const long = process.argv.includes("--counts=long");
const given = process.argv.slice(2).filter((argument) => argument !== "--counts=long");
const isOption = (argument: string, at: number): boolean => argument.startsWith("-") || given[at - 1] === "-t";
const options = given.filter(isOption);
const paths = given.filter((argument, at) => !isOption(argument, at));
const temporary = join(folder, "temporary");
mkdirSync(temporary);
const environment = {
  ...process.env,
  TMPDIR: temporary,
  [sentCommandsFolder]: sent,
  ...(long ? { SWITCHYARD_TEST_COUNTS: "long" } : {}),
};

// The tests in a browser use the console as it is now. Nothing is built if its sources have not changed.
spawnSync(process.execPath, [join(root, "apps/console/build.ts")], { stdio: "inherit" });

// An interrupt ends Vitest; what it left is still removed.
process.on("SIGINT", () => undefined);
const runs = long
  ? [runTests(["--exclude=test/faults/**", "--passWithNoTests", ...given]), ...runFaults()]
  : [runTests(given)];

/** Runs the tests of `test/faults` that were asked for, one file at a time. */
function runFaults(): Run[] {
  const isAskedFor = (file: string): boolean => paths.length === 0 || paths.some((path) => file.includes(path));
  const files = readdirSync(join(root, "test/faults"))
    .map((name) => join(root, "test/faults", name))
    .filter((file) => file.endsWith(".test.ts") && isAskedFor(file));
  return files.length === 0 ? [] : [runTests(["--maxWorkers=1", ...options, ...files])];
}

interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: { name: string; status: "passed" | "failed"; assertionResults: { status: string }[] }[];
}

interface Run {
  readonly status: number | null;
  readonly results: Results;
}

/** Runs Vitest with these arguments. Ends the program if it has no results. */
function runTests(further: readonly string[]): Run {
  const file = join(folder, "results.json");
  const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--config=test/vitest.config.ts"];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const { status } = spawnSync(process.execPath, [...vitest, ...reporters, ...further], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
  });
  // It was interrupted.
  if (!existsSync(file)) {
    removeFolder();
    process.exit(status ?? 1);
  }
  const results = JSON.parse(readFileSync(file, "utf8")) as Results;
  rmSync(file);
  return { status, results };
}

/** Removes what the tests wrote. The mongod of a shared system ends a moment after its worker, and may still write. */
function removeFolder(): void {
  rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 100 });
}

/**
 * Returns a folder in memory with at least 4 GiB, if the machine has one. Databases there do not wait for a disk, which other programs may
 * keep busy for seconds. What a killed process wrote is as safe in it as on a disk: both outlive processes, not the machine.
 */
function findMemory(): string | undefined {
  const shared = "/dev/shm";
  try {
    accessSync(shared, constants.W_OK);
    const { bavail, bsize } = statfsSync(shared);
    return Math.min(bavail * bsize, freemem()) >= 4 * 2 ** 30 ? shared : undefined;
  } catch {
    return undefined;
  }
}

/** Compares the commands with the subset. If all tests ran, including those in separate processes, commands of every service must have been sent. */
function examineCommands(testResults: Results["testResults"]): Findings {
  const lines = readdirSync(sent).flatMap((file) => readFileSync(join(sent, file), "utf8").split("\n").slice(0, -1));
  const ranSystems = given.length === 0 && testResults.some(({ name }) => name.endsWith("services-processes.test.ts"));
  return examine(
    lines.map((line) => JSON.parse(line) as Note),
    supportedFeatures,
    ranSystems,
  );
}

const testResults = runs.flatMap(({ results }) => results.testResults);
const commands = examineCommands(testResults);
removeFolder();
for (const fault of commands.faults) console.log(`Commands to databases: ${fault}`);
console.log(commands.summary);
// A file that could not be loaded or set up counts as a failure, and so does a command outside of the subset.
const unloaded = testResults.filter(
  ({ status: outcome, assertionResults }) =>
    outcome === "failed" && assertionResults.every(({ status: ofTest }) => ofTest !== "failed"),
);
const sum = (count: (results: Results) => number): number =>
  runs.reduce((total, { results }) => total + count(results), 0);
const passed = sum(({ numPassedTests }) => numPassedTests);
const failed = sum(({ numFailedTests }) => numFailedTests) + unloaded.length + commands.faults.length;
console.log(`${passed} passed, ${failed} failed, ${sum(({ numPendingTests }) => numPendingTests)} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : (runs.find(({ status }) => status !== 0)?.status ?? 0);
