/**
 * Whether the verdicts of comparisons keep what docs/scoring.md says, on simulated runs: two equal models are IMPROVED or REGRESSED in at
 * most 5 % of comparisons, and a drop of 5 points on 200 files is REGRESSED in at least 80 %. And whether promises about values that go unseen
 * are broken in at most 5 % of deployments, which are drawn from simulated files and, if DOCUMENT_SETS is set, from receipts. SWITCHYARD_TEST_SEED
 * repeats a run, PAIRS is the number of pairs of equal models, and DEPLOYMENTS that of deployments.
 */
import { compareSimulated, createSimulationRandom } from "@switchyard/benchmark/testing";
import type { SimulatedModels } from "@switchyard/benchmark/testing";
import {
  extractReceipts,
  measurePromise,
  observeReceipts,
  selectColumns,
  simulateFiles,
  tolerances,
} from "./promise.ts";

const seed = Number(process.env["SWITCHYARD_TEST_SEED"] ?? 17);
const pairs = Number(process.env["PAIRS"] ?? 2_000);
const deployments = Number(process.env["DEPLOYMENTS"] ?? 1_000);
const level = 0.05;
/** Three standard errors of a share of 5 % in this many pairs. */
const tolerance = 3 * Math.sqrt((level * (1 - level)) / pairs);

const documents: SimulatedModels = { files: 200, columns: 8, rows: 1, successRate: 0.9, drop: 0, together: 0.7 };
const equal: readonly (readonly [string, SimulatedModels])[] = [
  ["200 documents, 8 columns", documents],
  ["60 tables of 10 rows, 4 columns", { ...documents, files: 60, columns: 4, rows: 10 }],
  ["12 documents, 5 columns", { ...documents, files: 12, columns: 5, together: 0.5 }],
];
const worse: readonly (readonly [string, SimulatedModels])[] = [
  ["5 points fewer, most errors shared", { ...documents, drop: 0.05 }],
  ["5 points fewer, independent errors", { ...documents, drop: 0.05, together: 0 }],
];

/** Compares this many simulated runs, and prints the share of each verdict. */
function measure(name: string, models: SimulatedModels, count: number) {
  const random = createSimulationRandom(seed);
  const verdicts = { IMPROVED: 0, REGRESSED: 0, EQUIVALENT: 0, INCONCLUSIVE: 0 };
  let [columns, held] = [0, 0];
  const isDecided = (verdict: string): boolean => verdict === "IMPROVED" || verdict === "REGRESSED";
  for (let pair = 0; pair < count; pair += 1) {
    const { aggregated, byColumn } = compareSimulated(models, random);
    const { verdict, ci95 } = aggregated.successRate;
    verdicts[verdict] += 1;
    if (byColumn.some(({ successRate }) => isDecided(successRate.verdict))) columns += 1;
    if (ci95 !== null && ci95.low <= -models.drop && -models.drop <= ci95.high) held += 1;
  }
  const share = (number: number): string => `${((number / count) * 100).toFixed(1)} %`;
  console.log(
    `  ${name.padEnd(36)} ${String(count)} pairs: improved ${share(verdicts.IMPROVED)}, regressed ${share(verdicts.REGRESSED)}, equivalent ${share(verdicts.EQUIVALENT)};` +
      ` a column decided ${share(columns)}; the interval holds the true difference in ${share(held)}`,
  );
  return {
    decided: (verdicts.IMPROVED + verdicts.REGRESSED) / count,
    regressed: verdicts.REGRESSED / count,
    columns: columns / count,
  };
}

function check(holds: boolean, sentence: string): void {
  if (holds) return;
  console.error(`  does not hold: ${sentence}`);
  process.exitCode = 1;
}

console.log(`  comparisons of runs, SWITCHYARD_TEST_SEED=${String(seed)}`);
for (const [name, models] of equal) {
  const { decided, columns } = measure(name, models, pairs);
  check(decided <= level + tolerance, "equal models are IMPROVED or REGRESSED in at most 5 %");
  check(columns <= level + tolerance, "a column of equal models is IMPROVED or REGRESSED in at most 5 %");
}
for (const [name, models] of worse) {
  const { regressed } = measure(name, models, Math.ceil(pairs / 4));
  check(regressed >= 0.8, "a drop of 5 points on 200 files is REGRESSED in at least 80 %");
}

console.log(`  values that may go unseen, with a confidence of 95 %, SWITCHYARD_TEST_SEED=${String(seed)}`);

/** Draws deployments, and prints what they promised and how many of these promises were broken. */
function measureDrawn(
  name: string,
  files: Parameters<typeof measurePromise>[0],
  error: number,
  size: number,
): ReturnType<typeof measurePromise> {
  const outcome = measurePromise(files, { error, size, deployments }, createSimulationRandom(seed));
  const [promised, ...shares] = [error, outcome.possible, outcome.coverage, outcome.broken].map(
    (share) => `${(share * 100).toFixed(1)} %`,
  );
  console.log(
    `  ${name.padEnd(36)} ${String(size)} files, ${promised ?? ""} wrong: possible in ${shares[0] ?? ""} of ${String(deployments)} deployments, with a mean coverage of ${shares[1] ?? ""}; broken in ${shares[2] ?? ""}`,
  );
  const allowed = 3 * Math.sqrt((level * (1 - level)) / deployments);
  check(outcome.broken <= level + allowed, "a promise is broken in at most 5 % of deployments");
  return outcome;
}

const simulated = simulateFiles(20_000, createSimulationRandom(seed));
for (const size of [300, 1_000]) measureDrawn("simulated, confidences that are right", simulated, 0.02, size);
const folder = process.env["DOCUMENT_SETS"];
if (folder === undefined || folder === "") console.log("  receipts: skipped, DOCUMENT_SETS names no folder");
else {
  const extracted = await extractReceipts(folder);
  const receipts = observeReceipts(extracted);
  const { length: size } = receipts;
  const values = receipts.flatMap((file) => file.values).sort((one, other) => other.confidence - one.confidence);
  const certain = values.slice(0, Math.round(0.8 * values.length));
  const wrong = certain.filter((value) => value.wrong).length;
  console.log(
    `  receipts: ${String(wrong)} of the most certain 80 % of ${String(values.length)} values are wrong (${((100 * wrong) / certain.length).toFixed(1)} %)`,
  );
  for (const error of [0.02, 0.05, 0.1]) measureDrawn("receipts, compared exactly", receipts, error, size);
  const short = selectColumns(receipts, ["date", "total"]);
  for (const files of [size, 1_000]) measureDrawn("receipts, date and total", short, 0.02, files);
  measureDrawn("receipts, compared exactly", receipts, 0.02, 1_000);
  const tolerant = observeReceipts(extracted, tolerances);
  for (const error of [0.02, 0.05]) measureDrawn("receipts, with tolerances", tolerant, error, size);
  const { coverage, possible } = measureDrawn("receipts, with tolerances", tolerant, 0.02, 1_000);
  check(possible >= 0.95 && coverage >= 0.8, "with tolerances, 80 % of the values go unseen for 2 % wrong ones");
}
