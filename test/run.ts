/**
 * `npm test`: every test of the workspace in one run, closed by a line `N passed, N failed`. With `--counts=long` races, kills and
 * fuzzing run with their full counts. All other arguments go to Jest.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "switchyard-test-"));
const results = join(folder, "results.json");
const long = process.argv.includes("--counts=long");
const jestArguments = process.argv.slice(2).filter((argument) => argument !== "--counts=long");

const { status } = spawnSync(
  process.execPath,
  [
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    join(root, "node_modules/jest/bin/jest.js"),
    "--rootDir=.",
    "--maxWorkers=2",
    "--json",
    `--outputFile=${results}`,
    ...jestArguments,
  ],
  {
    cwd: root,
    env: { ...process.env, ...(long ? { SWITCHYARD_TEST_COUNTS: "long" } : {}) },
    stdio: ["ignore", "ignore", "inherit"],
  },
);

interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numRuntimeErrorTestSuites: number;
}

const summary = JSON.parse(readFileSync(results, "utf8")) as Results;
rmSync(folder, { recursive: true });
// A file that could not even be loaded counts as a failure.
const failed = summary.numFailedTests + summary.numRuntimeErrorTestSuites;
console.log(`${summary.numPassedTests} passed, ${failed} failed, ${summary.numPendingTests} skipped`);
process.exitCode = failed > 0 || summary.numPassedTests === 0 ? 1 : (status ?? 1);
