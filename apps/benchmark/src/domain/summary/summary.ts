import { computeMetrics } from "./metrics.ts";
import type { Metrics } from "./metrics.ts";
import type { FileScore } from "../files/file-score.ts";
import { defaultReplicates, defaultSeed, drawReplicates } from "../statistics/resampling.ts";
import type { ScoredConfiguration } from "../tables/table-score.ts";
import { addFile, addTotals, noTotals } from "./totals.ts";
import type { Totals } from "./totals.ts";

/** How intervals are made. Summaries that are merged need the same. */
export interface Resampling {
  readonly seed?: number | undefined;
  readonly replicates?: number | undefined;
}

/** Adds the scores of files up to metrics. What it keeps does not grow with the number of files. */
export interface Summary {
  /** Adds the score of a file. In which order files come makes no difference; each must come once. */
  readonly add: (score: FileScore) => void;
  /** Adds all files of another summary of the same configuration, seed and replicates. */
  readonly merge: (other: Summary) => void;
  readonly metrics: () => Metrics;
  readonly totals: Totals;
}

/**
 * An empty summary of runs with a configuration. It keeps 2,000 replicates of 8 bytes for 7 sums of the run, and for 2 of each table and
 * column but those of the document's own table: 112 KB, and 32 KB each.
 */
export function createSummary(configuration: ScoredConfiguration, { seed, replicates }: Resampling = {}): Summary {
  const totals = noTotals(configuration, replicates ?? defaultReplicates);
  return {
    totals,
    add: (score) =>
      addFile(totals, score, drawReplicates(score.fileId, seed ?? defaultSeed, replicates ?? defaultReplicates)),
    merge: (other) => addTotals(totals, other.totals),
    metrics: () => computeMetrics(totals),
  };
}
