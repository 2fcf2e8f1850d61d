import { createRandom } from "../statistics/random.ts";
import type { ScoredColumn, ScoredConfiguration } from "../tables/table-score.ts";
import type { FileObservation, ObservedValue, ValueSource } from "./observation.ts";
import { findUnseen } from "./thresholds.ts";
import type { Unseen, WeighedValue } from "./thresholds.ts";

/** Which extracted values of a model may go unseen. */
export interface Risk extends Unseen {
  /** The number of extracted values that were compared. */
  readonly values: number;
  /** Each column on its own. */
  readonly byColumn: readonly (Unseen & { readonly column: ScoredColumn })[];
  /** The kinds of source that values come from, together. */
  readonly bySource: readonly (Unseen & { readonly source: ValueSource })[];
}

/** The wanted share of wrong values among those that go unseen, and the confidence that there are no more. */
export interface Promised {
  readonly error: number;
  readonly confidence: number;
}

type Placed = ObservedValue & { readonly file: number };

const sources: readonly ValueSource[] = ["TEXT", "OCR"];
/** Any number. The order of files must be the same in all computations. */
const seed = 55;

/**
 * Computes which values may go unseen, from accepted files. Every file has the same weight, which its columns share, and of a column its
 * rows. Each kind of source has its own threshold, and the level is divided among the kinds, so that all thresholds hold together, for any
 * mixture of them. The result does not depend on the order of the files.
 */
export function computeRisk(
  observations: readonly FileObservation[],
  configuration: ScoredConfiguration,
  { error, confidence }: Promised,
): Risk {
  const columns = configuration.columns.filter(({ excludedFromExtraction }) => !excludedFromExtraction);
  const placed = place(observations);
  const files = observations.length;
  const level = 1 - confidence;
  const present = sources.filter((source) => placed.some((value) => value.source === source));
  const bySource = present.map((source) => {
    const values = weigh(placed.filter((value) => value.source === source));
    const wanted = { error, level: level / present.length };
    return { source, ...findUnseen({ values, files }, wanted) };
  });
  const byColumn = columns.map((column) => {
    const values = weigh(placed.filter(({ columnId }) => columnId === column.id));
    return { column, ...findUnseen({ values, files }, { error, level }) };
  });
  return { ...combine(placed, files, bySource, { error, level }), values: placed.length, byColumn, bySource };
}

/** Combines the kinds of source: what may go unseen of each of them. */
function combine(
  placed: readonly Placed[],
  files: number,
  bySource: Risk["bySource"],
  { error, level }: { error: number; level: number },
): Unseen {
  if (bySource.length === 0) return findUnseen({ values: [], files }, { error, level });
  const thresholds = bySource.flatMap(({ threshold }) => (threshold === null ? [] : [threshold]));
  const needed = bySource.flatMap(({ filesNeeded }) => (filesNeeded === null ? [] : [filesNeeded]));
  const weighed = weigh(placed);
  const weights = bySource.map(({ source }) =>
    placed.reduce((sum, value, index) => sum + (value.source === source ? (weighed[index]?.weight ?? 0) : 0), 0),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    threshold: thresholds.length === 0 ? null : Math.max(...thresholds),
    coverage: bySource.reduce((sum, { coverage }, index) => sum + coverage * (weights[index] ?? 0), 0) / total,
    filesUsed: new Set(placed.map(({ file }) => file)).size,
    filesNeeded: thresholds.length > 0 || needed.length === 0 ? null : Math.min(...needed),
  };
}

/** Orders files by a hash of their IDs, which has nothing to do with their values. */
function place(observations: readonly FileObservation[]): Placed[] {
  const ordered = observations
    .map((observation) => ({ observation, rank: createRandom(observation.fileId, seed)() }))
    .sort((one, other) => one.rank - other.rank || (one.observation.fileId < other.observation.fileId ? -1 : 1));
  return ordered.flatMap(({ observation: { values } }, file) => values.map((value) => ({ ...value, file })));
}

/** Weighs values: those of a file have the weight 1 together, of which each of its columns has the same part. */
function weigh(values: readonly Placed[]): WeighedValue[] {
  const counts = new Map<number, Map<string, number>>();
  for (const { file, columnId } of values) {
    const columns = counts.get(file) ?? new Map<string, number>();
    counts.set(file, columns.set(columnId, (columns.get(columnId) ?? 0) + 1));
  }
  return values.map(({ file, columnId, confidence, wrong }) => {
    const columns = counts.get(file);
    return { file, confidence, wrong, weight: 1 / ((columns?.size ?? 1) * (columns?.get(columnId) ?? 1)) };
  });
}
