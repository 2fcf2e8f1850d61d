import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";
import { nodeArguments, root } from "./processes.ts";
import { monitoring } from "./subset/preload.ts";

/**
 * Files whose systems consist of several processes come first, then all others that start systems, so that what is left at the end is short
 * and no worker waits for the others. Within each group, larger files come first.
 */
class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = files.map((file) => ({
      file,
      rank: getRank(relative(root, file.moduleId)),
      size: statSync(file.moduleId).size,
    }));
    return Promise.resolve(
      ranked.sort((one, other) => one.rank - other.rank || other.size - one.size).map(({ file }) => file),
    );
  }
}

function getRank(path: string): number {
  if (!path.startsWith("test")) return 2;
  return path.endsWith("-processes.test.ts") ? 0 : 1;
}

export default defineConfig({
  root,
  test: {
    include: [join(root, "**/*.test.ts")],
    globals: true,
    setupFiles: [join(root, "test/shared-system/setup.ts")],
    // Node.js loads sources and packages itself, as in production, and each worker loads them once. The modules have no state of their own,
    // which a lint rule ensures, so files do not affect each other through modules. Many share a system, in which each has its own organization.
    isolate: false,
    experimental: { viteModuleRunner: false },
    pool: "forks",
    // One more than the processors, because many tests wait for a timeout or for a program to start. Each takes up to 2 GB of memory.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    // One thread for each kind of work on documents: most programs of the tests read a few, and starting a thread takes longer.
    env: { SWITCHYARD_EXTRACTION_PARALLEL: "1" },
    execArgv: [...nodeArguments, ...monitoring()],
    slowTestThreshold: 10_000,
    // Many of the tests run whole systems, on machines that do other work besides. Nothing waits this long unless it hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    sequence: { sequencer: LongestFirst, hooks: "list" },
  },
});
