/**
 * `npm test`: runs every test of the workspace, and prints `N passed, N failed` at the end. With `--counts=long` races, kills and fuzzing
 * run with their full counts. All other arguments are passed to Jest. The commands that the services send to their databases must be
 * within the subset of MongoDB that libs/embedded-mongo supports.
 */
import { supportedFeatures } from "@switchyard/embedded-mongo/subset";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stableThreads } from "./processes.ts";
import { monitoring, sentCommandsFolder } from "./subset/preload.ts";
import { examine } from "./subset/subset.ts";
import type { Findings, Note } from "./subset/subset.ts";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "switchyard-test-"));
const results = join(folder, "results.json");
const sent = join(folder, "sent");
mkdirSync(sent);
const workers = 2;
const long = process.argv.includes("--counts=long");
const jestArguments = process.argv.slice(2).filter((argument) => argument !== "--counts=long");
const environment = {
  ...process.env,
  [sentCommandsFolder]: sent,
  ...(long ? { SWITCHYARD_TEST_COUNTS: "long" } : {}),
};

const { status } = spawnSync(
  process.execPath,
  [
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    stableThreads,
    // Jest passes its own arguments of Node.js to its workers.
    ...monitoring(environment),
    join(root, "node_modules/jest/bin/jest.js"),
    "--rootDir=.",
    `--maxWorkers=${workers}`,
    "--json",
    `--outputFile=${results}`,
    ...jestArguments,
  ],
  { cwd: root, env: environment, stdio: ["ignore", "ignore", "inherit"] },
);

interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: { name: string }[];
}

/** Compares the commands with the subset. If systems ran in separate processes, commands of every service must have been sent. */
function examineCommands({ testResults }: Results): Findings {
  const lines = readdirSync(sent).flatMap((file) => readFileSync(join(sent, file), "utf8").split("\n").slice(0, -1));
  const ranSystems = testResults.some(({ name }) => name.endsWith("main-path-processes.test.ts"));
  return examine(
    lines.map((line) => JSON.parse(line) as Note),
    supportedFeatures,
    ranSystems,
  );
}

const summary = JSON.parse(readFileSync(results, "utf8")) as Results;
const commands = examineCommands(summary);
rmSync(folder, { recursive: true });
for (const fault of commands.faults) console.log(`Commands to databases: ${fault}`);
console.log(commands.summary);
// A file that could not be loaded counts as a failure, and so does a command outside of the subset.
const failed = summary.numFailedTests + summary.numRuntimeErrorTestSuites + commands.faults.length;
console.log(`${summary.numPassedTests} passed, ${failed} failed, ${summary.numPendingTests} skipped`);
process.exitCode = failed > 0 || summary.numPassedTests === 0 ? 1 : (status ?? 1);
