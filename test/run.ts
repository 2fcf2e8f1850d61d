/**
 * `npm test`: runs every test of the workspace, and prints `N passed, N failed` at the end. With `--counts=long` races, kills and fuzzing
 * run with their full counts. All other arguments are passed to Vitest: parts of the paths of test files, and `-t` with a pattern for titles.
 * The commands that the services send to their databases must be within the subset of MongoDB that libs/embedded-mongo supports.
 */
import { supportedFeatures } from "@switchyard/embedded-mongo/subset";
import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { sentCommandsFolder } from "./subset/preload.ts";
import { examine } from "./subset/subset.ts";
import type { Findings, Note } from "./subset/subset.ts";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(findMemory() ?? tmpdir(), "switchyard-test-"));
const results = join(folder, "results.json");
const sent = join(folder, "sent");
mkdirSync(sent);
const long = process.argv.includes("--counts=long");
const filters = process.argv.slice(2).filter((argument) => argument !== "--counts=long");
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
const { status } = spawnSync(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--config=test/vitest.config.ts",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${results}`,
    ...filters,
  ],
  { cwd: root, env: environment, stdio: ["ignore", "inherit", "inherit"] },
);

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

interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: { name: string; status: "passed" | "failed"; assertionResults: { status: string }[] }[];
}

/** Compares the commands with the subset. If all tests ran, also in separate processes, commands of every service must have been sent. */
function examineCommands({ testResults }: Results): Findings {
  const lines = readdirSync(sent).flatMap((file) => readFileSync(join(sent, file), "utf8").split("\n").slice(0, -1));
  const ranSystems =
    filters.length === 0 && testResults.some(({ name }) => name.endsWith("main-path-processes.test.ts"));
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
// A file that could not be loaded or set up counts as a failure, and so does a command outside of the subset.
const unloaded = summary.testResults.filter(
  ({ status: outcome, assertionResults }) =>
    outcome === "failed" && assertionResults.every(({ status: ofTest }) => ofTest !== "failed"),
);
const failed = summary.numFailedTests + unloaded.length + commands.faults.length;
console.log(`${summary.numPassedTests} passed, ${failed} failed, ${summary.numPendingTests} skipped`);
process.exitCode = failed > 0 || summary.numPassedTests === 0 ? 1 : (status ?? 1);
