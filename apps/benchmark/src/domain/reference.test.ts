import { readFileSync } from "node:fs";
import { ColumnType, MatchingKind } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { matchCells, prepareValue } from "@switchyard/matching";
import type { CellMatch, ComparedColumn, Scalar } from "@switchyard/matching";
import { computeAnlsStar, oneOf } from "../testing/anls-star.ts";
import type { Truth } from "../testing/anls-star.ts";
import { computeAlignedScore, createCellCounts, getRates } from "./cells/cell-counts.ts";
import type { CellCounts, OutcomeCounts } from "./cells/cell-counts.ts";
import { computeCellMetrics } from "./summary/metrics.ts";
import { createConfiguration, scoreValues } from "../testing/scoring.ts";
import { createSummary } from "./summary/summary.ts";
import { computeWilsonInterval } from "@switchyard/statistics";

type Values = Record<string, Scalar>;
type Case = Record<string, any>;

function readReference(name: string): any {
  return JSON.parse(readFileSync(new URL(`./reference/${name}.json`, import.meta.url), "utf8"));
}

function toTruth(json: any): Truth {
  if (Array.isArray(json)) return json.map(toTruth);
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json.oneOf)) return oneOf(...json.oneOf.map(toTruth));
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, toTruth(value)]));
}

function compare(column: ComparedColumn, expected: Scalar, actual: Scalar): CellMatch | null {
  const [one, other] = [prepareValue(column, expected), prepareValue(column, actual)];
  return one && other && matchCells(column, one, other);
}

describe("ANLS*", () => {
  const { cases, nested } = readReference("anls-star");

  it("has all 34 cases", () => {
    expect(cases).toHaveLength(34);
  });

  it.each<Case>(cases)("of $truth and $answer is $score", ({ truth, answer, score, digits = 9 }) => {
    expect(computeAnlsStar(toTruth(truth), answer)).toBeCloseTo(score, digits);
  });

  it("of a nested example is the sum of its leaves", () => {
    expect(computeAnlsStar(nested.truth, nested.answer)).toBeCloseTo(nested.score, 4);
    for (const [key, score] of Object.entries<number>(nested.keys))
      expect(computeAnlsStar(nested.truth[key], nested.answer[key] ?? null)).toBeCloseTo(score, 4);
  });
});

describe("Stickler", () => {
  const { lists, records, numbers, threshold } = readReference("stickler");

  it.each<Case>(lists)("list $expected, $actual", ({ expected, actual, type = "TEXT", outcomes, ...figures }) => {
    const configuration = createConfiguration({ document: [], list: [["item", type]] });
    const rows = (items: readonly Scalar[]): Values[] => items.map((item) => ({ item }));
    const { counts } = scoreValues(configuration, { list: rows(expected) }, { list: rows(actual) });
    if (outcomes) expect(counts.outcomes).toMatchObject(outcomes);
    if (figures.f1 === undefined) return;
    const actualRates = getRates(counts);
    expect(actualRates.precision).toBeCloseTo(figures.precision ?? NaN, 9);
    expect(actualRates.recall).toBeCloseTo(figures.recall ?? NaN, 9);
    expect(actualRates.f1).toBeCloseTo(figures.f1, 9);
  });

  it.each<Case>(records)("record $expected, $actual", ({ expected, actual, outcomes }) => {
    const columns = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].map((slug) => [slug] as const);
    const { counts } = scoreValues(
      createConfiguration({ record: columns }),
      { record: [expected] },
      { record: [actual] },
    );
    expect(counts.outcomes).toEqual(outcomes);
  });

  it.each<Case>(numbers)("number $expected, $actual: $equal", ({ expected, actual, equal, relativeTolerance }) => {
    const matching = relativeTolerance && { kind: MatchingKind.NUMERIC, relativeTolerance };
    const match = compare({ type: ColumnType.NUMBER, matching }, expected, actual);
    expect(match?.similarity === 1).toBe(equal);
  });

  it("counts a similarity at the threshold", () => {
    const match = compare({ type: ColumnType.TEXT }, threshold.expected, threshold.actual);
    expect(match).toEqual({ closeness: "soft", similarity: threshold.similarity });
  });
});

describe("DUE, VRDU, OmniAI, KIEval", () => {
  const { due, vrdu, omniai, kieval, f1 } = readReference("others");

  it("has the F-score of DUE for strict comparison", () => {
    const configuration = createConfiguration({
      document: [["effective_date"], ["jurisdiction"]],
      parties: [["party"]],
    });
    const tables = ({ party, ...document }: any) => ({
      document: [document],
      parties: party.map((name: string) => ({ party: name })),
    });
    const { counts } = scoreValues(configuration, tables(due.expected), tables(due.actual));
    expect(getRates(counts, "strict")).toEqual({ precision: due.precision, recall: due.recall, f1: due.f1 });
    expect(getRates(counts)).toEqual({ precision: 1, recall: 1, f1: 1 });
  });

  it("has no figures if nothing was scored, where DUE has zeros", () => {
    const { aggregated } = createSummary(createConfiguration({ document: [["party"]] })).metrics();
    expect([aggregated.precision, aggregated.recall, aggregated.f1]).toEqual([0, 0, 0].fill(due.nothingScoredHere));
  });

  it.each<Case>(vrdu.matches)("VRDU $matcher", ({ type, expected, actual, equal, tolerance, characters }) => {
    const matching = tolerance && { kind: MatchingKind.NUMERIC, absoluteTolerance: tolerance };
    const column = { type: ColumnType[type as keyof typeof ColumnType], matching, characters };
    expect(compare(column, expected, actual)?.similarity === 1).toBe(equal);
  });

  it.each<Case>(omniai.records)("OmniAI $successRate", ({ expected, actual, successRate }) => {
    const columns = Object.keys(expected).map((slug) => [slug, "NUMBER"] as const);
    const { counts } = scoreValues(
      createConfiguration({ record: columns }),
      { record: [expected] },
      { record: [actual] },
    );
    expect(computeCellMetrics(counts).successRate).toBe(successRate);
  });

  const toCounts = (outcomes: Partial<OutcomeCounts>): CellCounts => ({
    ...createCellCounts(),
    outcomes: { ...createCellCounts().outcomes, ...outcomes },
  });

  it.each<Case>(kieval.cases)("KIEval aligned $aligned", ({ aligned, ...outcomes }) => {
    expect(computeAlignedScore(toCounts(outcomes))).toBeCloseTo(aligned, 9);
  });

  it.each<Case>(f1.cases)("F1 $f1", ({ precision, recall, f1: figure, ...outcomes }) => {
    const actualRates = getRates(toCounts(outcomes));
    expect(actualRates.precision).toBeCloseTo(precision, 9);
    expect(actualRates.recall).toBeCloseTo(recall, 9);
    expect(actualRates.f1).toBeCloseTo(figure, 9);
  });
});

describe("Wilson", () => {
  it.each<Case>(readReference("wilson").cases)("$successes of $trials", ({ successes, trials, low, high, digits }) => {
    expect(computeWilsonInterval(successes, trials)?.low).toBeCloseTo(low, digits);
    expect(computeWilsonInterval(successes, trials)?.high).toBeCloseTo(high, digits);
  });

  it("has no interval without trials", () => {
    expect(computeWilsonInterval(0, 0)).toBeNull();
  });
});
