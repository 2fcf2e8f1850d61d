import { createRandom } from "../statistics/random.ts";
import type { ScoredColumn, ScoredConfiguration } from "../tables/table-score.ts";
import type { FileObservation, ValueSource } from "./observation.ts";
import { countFiles, findUnseen, toStep } from "./thresholds.ts";
import type { Unseen, WeighedValues } from "./thresholds.ts";

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

/** The values of all files, in the order of the files, as tables of what is known about each of them: there are millions. */
interface PlacedValues extends Omit<WeighedValues, "weights"> {
  /** The index of the column, in the order of their first values. */
  readonly columns: Int32Array;
  /** The index of the source in `sources`. */
  readonly sources: Uint8Array;
  readonly columnIds: readonly string[];
}

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
  const placed = placeValues(observations);
  const files = observations.length;
  const level = 1 - confidence;
  const placesBySource = group(placed.sources, sources.length);
  const present = sources.filter((_, place) => placesBySource[place]!.length > 0);
  const bySource = present.map((source) => {
    const values = weigh(placed, placesBySource[sources.indexOf(source)]!);
    const wanted = { error, level: level / present.length };
    return { source, ...findUnseen({ values, files }, wanted) };
  });
  const placesByColumn = group(placed.columns, placed.columnIds.length);
  const byColumn = columns.map((column) => {
    const values = weigh(placed, placesByColumn[placed.columnIds.indexOf(column.id)] ?? new Int32Array());
    return { column, ...findUnseen({ values, files }, { error, level }) };
  });
  return { ...combine(placed, files, bySource, { error, level }), values: placed.files.length, byColumn, bySource };
}

/** Combines the kinds of source: what may go unseen of each of them. */
function combine(
  placed: PlacedValues,
  files: number,
  bySource: Risk["bySource"],
  { error, level }: { error: number; level: number },
): Unseen {
  const all = weigh(
    placed,
    placed.files.map((_, place) => place),
  );
  if (bySource.length === 0) return findUnseen({ values: all, files }, { error, level });
  const thresholds = bySource.flatMap(({ threshold }) => (threshold === null ? [] : [threshold]));
  const needed = bySource.flatMap(({ filesNeeded }) => (filesNeeded === null ? [] : [filesNeeded]));
  const weights = bySource.map(({ source }) => {
    const own = sources.indexOf(source);
    return all.weights.reduce((sum, weight, place) => sum + (placed.sources[place] === own ? weight : 0), 0);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    threshold: thresholds.length === 0 ? null : Math.max(...thresholds),
    coverage: bySource.reduce((sum, { coverage }, index) => sum + coverage * (weights[index] ?? 0), 0) / total,
    filesUsed: countFiles(placed),
    filesNeeded: thresholds.length > 0 || needed.length === 0 ? null : Math.min(...needed),
  };
}

/** Orders files by a hash of their IDs, which has nothing to do with their values. */
function placeValues(observations: readonly FileObservation[]): PlacedValues {
  const ordered = observations
    .map((observation) => ({ observation, rank: createRandom(observation.fileId, seed)() }))
    .sort((one, other) => one.rank - other.rank || (one.observation.fileId < other.observation.fileId ? -1 : 1));
  const count = ordered.reduce((sum, { observation }) => sum + observation.values.length, 0);
  const files = new Int32Array(count);
  const columns = new Int32Array(count);
  const steps = new Uint8Array(count);
  const wrong = new Uint8Array(count);
  const bySource = new Uint8Array(count);
  const columnById = new Map<string, number>();
  let place = 0;
  for (const [file, { observation }] of ordered.entries()) {
    for (const value of observation.values) {
      const column = columnById.get(value.columnId) ?? columnById.size;
      columnById.set(value.columnId, column);
      files[place] = file;
      columns[place] = column;
      steps[place] = toStep(value.confidence);
      wrong[place] = value.wrong ? 1 : 0;
      bySource[place] = sources.indexOf(value.source);
      place += 1;
    }
  }
  return { files, columns, steps, wrong, sources: bySource, columnIds: [...columnById.keys()] };
}

/** Returns the places of each of `count` numbers. */
function group(numbers: Int32Array | Uint8Array, count: number): Int32Array[] {
  const sizes = new Int32Array(count);
  for (const each of numbers) sizes[each]! += 1;
  const groups = Array.from(sizes, (size) => new Int32Array(size));
  sizes.fill(0);
  numbers.forEach((each, place) => {
    groups[each]![sizes[each]!] = place;
    sizes[each]! += 1;
  });
  return groups;
}

/**
 * Weighs the values at some places, in order: those of a file have the weight 1 together, of which each of its columns has the same part.
 */
function weigh({ files, columns, steps, wrong, columnIds }: PlacedValues, places: Int32Array): WeighedValues {
  const weights = new Float64Array(places.length);
  const counts = new Int32Array(columnIds.length);
  // The values of a file are adjacent.
  for (let start = 0, end = 0; start < places.length; start = end) {
    let distinct = 0;
    for (; end < places.length && files[places[end]!] === files[places[start]!]; end += 1) {
      const column = columns[places[end]!]!;
      if (counts[column] === 0) distinct += 1;
      counts[column]! += 1;
    }
    for (let at = start; at < end; at += 1) weights[at] = 1 / (distinct * counts[columns[places[at]!]!]!);
    for (let at = start; at < end; at += 1) counts[columns[places[at]!]!] = 0;
  }
  const pick = (from: Uint8Array): Uint8Array => {
    const picked = new Uint8Array(places.length);
    for (let at = 0; at < places.length; at += 1) picked[at] = from[places[at]!]!;
    return picked;
  };
  return { files: places.map((place) => files[place]!), steps: pick(steps), wrong: pick(wrong), weights };
}
