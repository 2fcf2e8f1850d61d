/**
 * Whether what may go unseen keeps its promise: deployments are drawn with replacement from files whose values are known, what may go unseen is
 * computed from each of them, and how many of these values are wrong is counted in all files.
 */
import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { toValueTables } from "@switchyard/benchmark/domain/cells/cell-value";
import type { ValueTable } from "@switchyard/benchmark/domain/cells/cell-value";
import { observeFile } from "@switchyard/benchmark/domain/risk/observation";
import type { FileObservation, ObservedValue } from "@switchyard/benchmark/domain/risk/observation";
import { computeRisk } from "@switchyard/benchmark/domain/risk/risk";
import {
  ColumnType,
  MatchingKind,
  MatchingSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Matching } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { assignFolds, FOLDS } from "@switchyard/extraction/domain/accepted/folds";
import { extractTables } from "@switchyard/extraction/domain/engines/local/extract";
import { findIssuer, learn, toExamples } from "@switchyard/extraction/domain/engines/local/learning/learn";
import { createConfiguration } from "./configuration.ts";
import { readReceipts, toDocumentText, typedColumns } from "./receipt-set.ts";
import { getTypedValues } from "./typed-receipts.ts";

const configuration = createConfiguration({ receipt: typedColumns });

/** What drawn deployments promised, and how it turned out. */
export interface PromiseOutcome {
  /** The share of deployments in which more than the promised share of the unseen values is wrong. */
  readonly broken: number;
  /** The share of deployments in which values may go unseen. */
  readonly possible: number;
  /** The mean share of values that may go unseen in these. */
  readonly coverage: number;
}

type Tolerances = ReadonlyMap<ColumnType, Matching>;

/** A receipt with its accepted and its extracted values. */
interface ExtractedReceipt {
  readonly fileId: string;
  readonly expected: ValueTable[];
  readonly extracted: ExtractedTable[];
}

/** Extracts the receipts of a folder by what the other folds taught. */
export async function extractReceipts(folder: string): Promise<ExtractedReceipt[]> {
  const receipts = (await readReceipts(folder)).map((receipt) => {
    const { id } = receipt;
    const plain = getTypedValues(receipt);
    const values = Object.fromEntries(Object.entries(plain).map(([slug, value]) => [slug, toValue(value)]));
    const document = toDocumentText(receipt);
    const examples = toExamples({ id, document, values }, configuration);
    return { id, sha256: id, issuer: findIssuer(values, configuration), document, values, examples };
  });
  const folds = assignFolds(receipts);
  const all: ExtractedReceipt[] = [];
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const learned = learn(receipts.filter(({ id }) => folds.get(id) !== fold).map(({ examples }) => examples));
    for (const { id, document, values } of receipts.filter((receipt) => folds.get(receipt.id) === fold)) {
      const expected = toValueTables([{ slug: "receipt", rows: [{ values }] }]);
      const extracted = extractTables(document, configuration, learned);
      all.push({ fileId: id, expected, extracted });
    }
  }
  return all;
}

/** How a team may compare receipts: three characters of a text may differ, and a total by the rounding of cash. */
export const tolerances: Tolerances = new Map([
  [ColumnType.TEXT, create(MatchingSchema, { kind: MatchingKind.EDITS, maxEdits: 3 })],
  [ColumnType.NUMBER, create(MatchingSchema, { kind: MatchingKind.NUMERIC, absoluteTolerance: 0.05 })],
]);

/** Compares the values of receipts as benchmark runs do, with the `matching` of each type of column, if it has one. */
export function observeReceipts(
  receipts: readonly ExtractedReceipt[],
  matchings: Tolerances = new Map(),
): FileObservation[] {
  const columns = configuration.columns.map((column) => {
    const matching = matchings.get(column.type);
    return matching === undefined ? column : { ...column, matching };
  });
  const compared = { ...configuration, columns };
  return receipts.map((receipt) => observeFile({ ...receipt, configuration: compared }));
}

/** Keeps the values of some columns only. */
export function selectColumns(files: readonly FileObservation[], columns: readonly string[]): FileObservation[] {
  const ids = new Set(columns.map((slug) => `receipt.${slug}`));
  return files.map(({ fileId, values }) => ({ fileId, values: values.filter(({ columnId }) => ids.has(columnId)) }));
}

/** Simulates files with four values whose confidences are right. A third of the files is hard. */
export function simulateFiles(count: number, random: () => number): FileObservation[] {
  return Array.from({ length: count }, (_, index) => {
    const hard = random() < 1 / 3;
    const values = configuration.columns.map(({ id: columnId }): ObservedValue => {
      const uncertain = random() < (hard ? 0.3 : 0.05);
      const confidence = uncertain ? 0.5 + random() * 0.45 : 0.99 + random() * 0.01;
      return { columnId, source: "TEXT", confidence, wrong: random() >= confidence };
    });
    return { fileId: `fil_${String(index)}`, values };
  });
}

/** Draws deployments of this many files, and compares their promises with all files. */
export function measurePromise(
  files: readonly FileObservation[],
  { error, size, deployments }: { error: number; size: number; deployments: number },
  random: () => number,
): PromiseOutcome {
  let [broken, possible, coverage] = [0, 0, 0];
  for (let deployment = 0; deployment < deployments; deployment += 1) {
    const drawn = Array.from({ length: size }, (_, index): FileObservation => {
      const file = files[Math.floor(random() * files.length)];
      return { fileId: `fil_${String(index)}`, values: file?.values ?? [] };
    });
    const { threshold, coverage: share } = computeRisk(drawn, configuration, { error, confidence: 0.95 });
    if (threshold === null) continue;
    possible += 1;
    coverage += share;
    if (computeWrong(files, threshold) > error) broken += 1;
  }
  return {
    broken: broken / deployments,
    possible: possible / deployments,
    coverage: possible === 0 ? 0 : coverage / possible,
  };
}

/** Returns the share of wrong values among those that go unseen, where each file has the same weight. */
function computeWrong(files: readonly FileObservation[], threshold: number): number {
  let [unseen, wrong] = [0, 0];
  for (const { values } of files)
    for (const value of values) {
      if (value.confidence + 1e-9 < threshold) continue;
      unseen += 1 / values.length;
      wrong += value.wrong ? 1 / values.length : 0;
    }
  return unseen === 0 ? 0 : wrong / unseen;
}

function toValue(value: string | number | null) {
  if (value === null) return create(ValueSchema, { kind: { case: "nullValue", value: 0 } });
  return create(ValueSchema, {
    kind: typeof value === "number" ? { case: "numberValue", value } : { case: "stringValue", value },
  });
}
