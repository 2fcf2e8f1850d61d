import { statSync } from "node:fs";
import { relative } from "node:path";

/**
 * The order in which Jest runs files. Those that start whole systems come first, so that what is left at the end is short and no
 * worker waits for the other: by size, as Jest would have it, suites that are imported by a file of three lines would come last.
 */
export default class Sequencer {
  constructor({ globalConfig: { rootDir } }) {
    this.rootDir = rootDir;
  }

  sort(tests) {
    const ranked = tests.map((test) => {
      const ofSystem = relative(this.rootDir, test.path).startsWith("test");
      return { test, rank: ofSystem ? 0 : 1, size: statSync(test.path).size };
    });
    return ranked.sort((one, other) => one.rank - other.rank || other.size - one.size).map(({ test }) => test);
  }

  shard(tests, { shardIndex, shardCount }) {
    return this.sort(tests).filter((_, index) => index % shardCount === shardIndex - 1);
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {
    // The order does not depend on earlier runs.
  }
}
