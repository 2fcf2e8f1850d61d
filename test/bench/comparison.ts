// Measures how long the comparison of two large runs computes, and that memory does not grow with the number of files.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { createComparison } from "@switchyard/benchmark/domain/comparison/comparison";
import { codeOf } from "@switchyard/benchmark/domain/comparison/outcome-grid";
import { pairColumns } from "@switchyard/benchmark/domain/comparison/shared-columns";
import { createSimulationRandom, toEnd } from "@switchyard/benchmark/testing";

const [files, columns, rows] = [10_000, 50, 20];
const maxSeconds = 5;
const maxGrowthBytes = 4 * 1024 * 1024;

const configuration = {
  tables: [{ id: "items", slug: "items", isPrimary: true }],
  columns: Array.from({ length: columns }, (_, index) => ({
    id: `column_${String(index)}`,
    tableId: "items",
    slug: `column_${String(index)}`,
    type: ColumnType.TEXT,
    isKey: false,
    excludedFromExtraction: false,
  })),
};

/** Compares two runs over 10,000 files with 50 columns and 20 rows: 20 million cells. Creating the cells is not measured. */
export async function measure(): Promise<boolean> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const getMemory = (): number => {
    collect();
    return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  };
  const random = createSimulationRandom(17);
  const shared = pairColumns(configuration, configuration);
  const comparison = createComparison(shared, { margin: 0.01, sameSystem: false, maxCells: 1_000 });
  const result = (codes: Uint8Array) => ({ grids: [{ rows, width: columns, codes }], failed: false, anls: 0.9 });
  let [elapsed, early] = [0, 0];
  const [before, after] = [new Uint8Array(rows * columns), new Uint8Array(rows * columns)];
  for (let file = 0; file < files; file += 1) {
    for (let cell = 0; cell < before.length; cell += 1) {
      before[cell] = random() < 0.1 ? codeOf.wrong : codeOf.correct;
      after[cell] = random() < 0.01 ? codeOf.missing : (before[cell] as number);
    }
    const start = process.cpuUsage();
    comparison.add(`fil_${String(file)}`, result(before), result(after));
    elapsed += secondsSince(start);
    if (file === files / 5) early = getMemory();
  }
  const growth = getMemory() - early;
  const start = process.cpuUsage();
  const { aggregated, newlyFailingCount } = toEnd(comparison.compute());
  const ending = secondsSince(start);
  console.log(
    `  ${files.toLocaleString("en")} files, ${String(columns)} columns, ${String(rows)} rows: ${(elapsed + ending).toFixed(1)} s of processor time, of which` +
      ` ${ending.toFixed(1)} s after the last file; ${aggregated.successRate.verdict}, ${newlyFailingCount.toLocaleString("en")} newly failing;` +
      ` heap ${growth < 0 ? "" : "+"}${(growth / 1024).toFixed(0)} KB from a fifth of the files to all`,
  );
  const faults = [
    ...(elapsed + ending > maxSeconds ? [`more than ${String(maxSeconds)} seconds`] : []),
    ...(growth > maxGrowthBytes ? ["what is kept grows with the number of files"] : []),
  ];
  for (const fault of faults) console.error(`  too much: ${fault}`);
  return Promise.resolve(faults.length === 0);
}

/** Returns the processor time in seconds, which does not depend on the load of the machine. */
function secondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000_000;
}
