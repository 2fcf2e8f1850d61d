// Measures how many cells are scored and aggregated per minute, and that memory does not grow with the number of files.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { scoreFile } from "@switchyard/benchmark/domain/files/file-score";
import { createSummary } from "@switchyard/benchmark/domain/summary/summary";

type Row = Record<string, string | number | null>;

const documentColumns = ["number", "seller", "buyer", "address", "date", "due", "net", "tax", "total", "iban"];
const itemColumns = ["what", "quantity", "price", "amount"];
const numbers = new Set(["net", "tax", "total", "quantity", "price", "amount"]);
const days = new Set(["date", "due"]);

const minCellsPerMinute = 1_000_000;
const maxGrowthBytes = 4 * 1024 * 1024;

function configurationWith(isKey: (slug: string) => boolean) {
  const column = (tableId: string) => (slug: string) => ({
    id: `${tableId}.${slug}`,
    tableId,
    slug,
    type: numbers.has(slug) ? ColumnType.NUMBER : days.has(slug) ? ColumnType.DATE : ColumnType.TEXT,
    isKey: isKey(slug),
    excludedFromExtraction: false,
  });
  return {
    tables: [
      { id: "invoice", slug: "invoice", isPrimary: true },
      { id: "items", slug: "items", isPrimary: false },
    ],
    columns: [...documentColumns.map(column("invoice")), ...itemColumns.map(column("items"))],
  };
}

/** Park and Miller's generator, so that every run scores the same files. */
function createRandom(): (below: number) => number {
  let state = 20_240_229;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

const words = "Lorem ipsum dolor Sit amet GmbH & Co. KG consetetur Straße elitr sed diam nonumy eirmod tempor".split(
  " ",
);

function toRow(columns: readonly string[], random: (below: number) => number): Row {
  const text = (): string => Array.from({ length: 1 + random(5) }, () => words[random(words.length)]).join(" ");
  return Object.fromEntries(
    columns.map((slug) => [
      slug,
      random(12) === 0
        ? null
        : numbers.has(slug)
          ? random(100_000) / 100
          : days.has(slug)
            ? `2024-0${1 + random(9)}-1${random(10)}`
            : text(),
    ]),
  );
}

/** Returns the row as extracted by a model with an error in every fourth cell. */
function misread(row: Row, random: (below: number) => number): Row {
  const wrong = (value: string | number | null): string | number | null =>
    typeof value === "string" ? value.slice(0, -1) + "x" : value === null ? 1 : value + 1;
  return Object.fromEntries(Object.entries(row).map(([slug, value]) => [slug, random(4) === 0 ? wrong(value) : value]));
}

/** Scores files until the given number of cells is reached. Creating the files is not measured. */
function measureFiles(name: string, cells: number, rows: number, keys: boolean, collect: () => number): boolean {
  const configuration = configurationWith((slug) => keys && slug === "what");
  const random = createRandom();
  const summary = createSummary(configuration);
  let [scored, files, elapsed, early] = [0, 0, 0, 0];
  while (scored < cells) {
    const expected = [
      { slug: "invoice", rows: [{ values: toRow(documentColumns, random) }] },
      { slug: "items", rows: Array.from({ length: rows }, () => ({ values: toRow(itemColumns, random) })) },
    ];
    const actual = expected.map((table) => ({
      slug: table.slug,
      rows: table.rows.map(({ values }) => ({ values: misread(values, random) })),
    }));
    const start = process.cpuUsage();
    const score = scoreFile({
      fileId: `fil_${String(files)}`,
      configuration,
      expected,
      actual,
      extractMs: random(2_000),
    });
    summary.add(score);
    elapsed += millisecondsSince(start);
    files += 1;
    scored += score.cells.length;
    if (early === 0 && scored >= cells / 10) early = collect();
  }
  const start = process.cpuUsage();
  const { aggregated } = summary.metrics();
  const ending = millisecondsSince(start);
  const growth = collect() - early;
  const aMinute = Math.round(scored / ((elapsed + ending) / 60_000));
  console.log(
    `  ${name.padEnd(28)} ${scored.toLocaleString("en")} cells of ${files.toLocaleString("en")} files in ${((elapsed + ending) / 1000).toFixed(1)} s:` +
      ` ${aMinute.toLocaleString("en")} cells a minute; metrics ${ending.toFixed(1)} ms; F1 ${aggregated.f1?.toFixed(3) ?? "n/a"};` +
      ` heap ${growth < 0 ? "" : "+"}${(growth / 1024).toFixed(0)} KB from a tenth of the files to all`,
  );
  const faults = [
    ...(aMinute < minCellsPerMinute ? [`fewer than ${minCellsPerMinute.toLocaleString("en")} cells a minute`] : []),
    ...(growth > maxGrowthBytes ? ["what is kept grows with the number of files"] : []),
  ];
  for (const fault of faults) console.error(`  too little: ${fault}`);
  return faults.length === 0;
}

/** Returns the processor time in milliseconds, which does not depend on the load of the machine. */
function millisecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** Collects garbage, and returns how many bytes are in use afterwards. */
function createCollector(): () => number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  return () => {
    collect();
    return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  };
}

/** Scores files of several shapes: at least a million cells per minute, in memory that does not grow with the files. */
export async function measure(): Promise<boolean> {
  const collect = createCollector();
  const outcomes = [
    measureFiles("documents without rows", 1_000_000, 0, false, collect),
    measureFiles("10 rows, by assignment", 1_000_000, 10, false, collect),
    measureFiles("10 rows, by keys", 1_000_000, 10, true, collect),
    measureFiles("100 rows, by assignment", 200_000, 100, false, collect),
  ];
  return outcomes.every((fine) => fine);
}
