/**
 * `npm run evaluate -- routing`: measures routing without examples on the real documents of the folder DOCUMENT_SETS. Prints accuracy
 * and macro-F1 of the best route, and coverage and accuracy with several thresholds and margins.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { decide, DEFAULT_MIN_CONFIDENCE, DEFAULT_MIN_MARGIN } from "@switchyard/classifier/domain/decision/decision";
import { createRouteScorer } from "@switchyard/classifier/domain/scoring/scorer";
import type { RouteProfile, RouteScore } from "@switchyard/classifier/domain/scoring/scorer";

interface LabelledText {
  readonly label: string;
  readonly text: string;
}

interface ScoredText {
  readonly label: string;
  readonly scores: readonly RouteScore[];
}

interface Thresholds {
  readonly minConfidence: number;
  readonly minMargin: number;
}

/** The label of documents that belong to no route. */
const NOWHERE = "spam";
const MARGINS = [0, 0.1, 0.15, 0.2, 0.25, 0.3];
const CONFIDENCES = [0, 0.3, 0.4, 0.45, 0.5, 0.6];

function readTexts(folder: string, set: string): LabelledText[] {
  const lines = gunzipSync(readFileSync(join(folder, "routing", `${set}.jsonl.gz`))).toString("utf8");
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LabelledText);
}

function readRoutes(folder: string, set: string): RouteProfile[] {
  const routes = JSON.parse(readFileSync(join(folder, "routing", `${set}.routes.json`), "utf8")) as Record<
    string,
    { name: string; description: string; columns?: string[] }
  >;
  return Object.entries(routes).map(([id, { name, description, columns = [] }]) => ({
    id,
    name,
    description,
    columnLabels: columns,
    examples: [],
  }));
}

/** Returns the ID of the route that is chosen with these thresholds, or null if there is none. */
function findRoute(
  routes: readonly RouteProfile[],
  scores: readonly RouteScore[],
  thresholds: Thresholds,
): string | null {
  const decision = decide({
    routes: routes.map(({ id, name }) => ({
      routeId: id,
      name,
      modelId: id,
      deploymentId: null,
      createdAt: new Date(0),
      minConfidence: null,
      excluded: null,
    })),
    scores,
    settings: thresholds,
  });
  return decision.status === "CLASSIFIED" ? decision.routeId : null;
}

function toShare(part: number, whole: number): string {
  return whole === 0 ? "n/a" : (part / whole).toFixed(3);
}

/** Returns the unweighted mean of the labels' F1. */
function getMacroF1(pairs: readonly { readonly label: string; readonly answer: string | null }[]): number {
  const labels = [...new Set(pairs.map(({ label }) => label))];
  const values = labels.map((label) => {
    const hits = pairs.filter((pair) => pair.label === label && pair.answer === label).length;
    const answered = pairs.filter(({ answer }) => answer === label).length;
    return (2 * hits) / (answered + pairs.filter((pair) => pair.label === label).length);
  });
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Describes how many texts get a route with these thresholds, and how many of these routes are right. */
function describeAnswers(
  routes: readonly RouteProfile[],
  texts: readonly ScoredText[],
  thresholds: Thresholds,
): string {
  const answered = texts
    .map(({ label, scores }) => ({ label, answer: findRoute(routes, scores, thresholds) }))
    .filter(({ answer }) => answer !== null);
  const inside = answered.filter(({ label }) => label !== NOWHERE);
  const foreign = texts.filter(({ label }) => label === NOWHERE);
  const accepted = answered.length - inside.length;
  const right = inside.filter(({ label, answer }) => label === answer).length;
  const rejected =
    foreign.length > 0 ? `, ${NOWHERE} rejected ${toShare(foreign.length - accepted, foreign.length)}` : "";
  return `coverage ${toShare(inside.length, texts.length - foreign.length)}, accuracy of answers ${toShare(right, inside.length)}${rejected}`;
}

function measure(folder: string, set: string): void {
  const routes = readRoutes(folder, set);
  const score = createRouteScorer(routes);
  const texts = readTexts(folder, set).map(({ label, text }) => ({ label, scores: score(text) }));
  const forced = texts
    .filter(({ label }) => label !== NOWHERE)
    .map(({ label, scores }) => ({
      label,
      answer: scores.reduce((best, candidate) => (candidate.score > best.score ? candidate : best)).routeId,
    }));
  const right = forced.filter(({ label, answer }) => label === answer).length;
  const defaults = { minConfidence: DEFAULT_MIN_CONFIDENCE, minMargin: DEFAULT_MIN_MARGIN };

  console.log(`${set}: ${String(routes.length)} routes, ${String(texts.length)} documents`);
  console.log(`  best route: accuracy ${toShare(right, forced.length)}, macro-F1 ${getMacroF1(forced).toFixed(3)}`);
  console.log(`  defaults (confidence ${String(DEFAULT_MIN_CONFIDENCE)}, margin ${String(DEFAULT_MIN_MARGIN)}):`);
  console.log(`    ${describeAnswers(routes, texts, defaults)}`);
  for (const label of new Set(texts.map((text) => text.label))) {
    const own = texts.filter((text) => text.label === label);
    const answers = own.map(({ scores }) => findRoute(routes, scores, defaults));
    const abstained = answers.filter((answer) => answer === null).length;
    const hits = label === NOWHERE ? abstained : answers.filter((answer) => answer === label).length;
    console.log(`    ${label}: ${String(hits)} of ${String(own.length)} right, ${String(abstained)} abstained`);
  }
  for (const minMargin of MARGINS)
    console.log(`  margin ${minMargin.toFixed(2)}: ${describeAnswers(routes, texts, { ...defaults, minMargin })}`);
  for (const minConfidence of CONFIDENCES) {
    console.log(
      `  confidence ${minConfidence.toFixed(2)}: ${describeAnswers(routes, texts, { ...defaults, minConfidence })}`,
    );
  }
}

const folder = process.env["DOCUMENT_SETS"];
if (folder === undefined || folder === "") console.log("skipped: DOCUMENT_SETS names no folder");
else for (const set of ["office-mix", "contract-types"]) measure(folder, set);
