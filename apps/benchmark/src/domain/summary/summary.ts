import { computeMetrics } from "./metrics.ts";
import type { Metrics } from "./metrics.ts";
import type { FileScore } from "../files/file-score.ts";
import { defaultReplicates, defaultSeed, drawReplicates } from "../statistics/resampling.ts";
import type { ScoredConfiguration } from "../tables/table-score.ts";
import { addFile, addTotals, createTotals } from "./totals.ts";
import type { Totals } from "./totals.ts";

/** The parameters of the bootstrap. They must be the same for summaries that are merged. */
export interface Resampling {
  readonly seed?: number | undefined;
  readonly replicates?: number | undefined;
}

/** Aggregates the scores of files to metrics. Its size does not depend on the number of files. */
export interface Summary {
  /** Adds the score of a file. Each file must be added once, in any order. */
  readonly add: (score: FileScore) => void;
  /** Adds all files of another summary of the same configuration, seed and replicates. */
  readonly merge: (other: Summary) => void;
  readonly metrics: () => Metrics;
  readonly totals: Totals;
}

/**
 * Creates an empty summary for runs with a configuration. It stores 2,000 replicates of 7 sums for the run (112 KB), and of 2 sums for
 * each table and for each column that is not in the primary table (32 KB each).
 */
export function createSummary(configuration: ScoredConfiguration, { seed, replicates }: Resampling = {}): Summary {
  const totals = createTotals(configuration, replicates ?? defaultReplicates);
  return {
    totals,
    add: (score) =>
      addFile(totals, score, drawReplicates(score.fileId, seed ?? defaultSeed, replicates ?? defaultReplicates)),
    merge: (other) => addTotals(totals, other.totals),
    metrics: () => computeMetrics(totals),
  };
}
