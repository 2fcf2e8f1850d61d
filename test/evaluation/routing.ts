/**
 * `npm run evaluate -- routing`: measures routing on the real documents of the folder DOCUMENT_SETS, without examples and with 1 and 5
 * reviewed documents of each route, which five seeds draw, and with 5 of every other route. Then it leaves each route out in turn, and
 * measures how many of its documents, which are of an unknown kind then, are refused, even if nothing but some of them was reviewed.
 * Finally, it measures the time of a decision.
 */
import { learn } from "@switchyard/classifier/domain/learning/learner";
import type { LabeledText } from "@switchyard/classifier/domain/learning/labeled-text";
import { createLearnedScorer } from "@switchyard/classifier/domain/learning/learned-scorer";
import type { RouteProfile, RouteScore, RouteScorer } from "@switchyard/classifier/domain/scoring/scorer";
import { averageMeasures, decideWithDefaults, MAX_COVERAGE, measureRouting } from "./routing-measures.ts";
import type { RoutingMeasures } from "./routing-measures.ts";
import { createRememberingScorer, drawExamples, NOWHERE, readRoutingSet } from "./routing-set.ts";
import type { LabeledDocument, RoutingSet } from "./routing-set.ts";
import { measureDecisionTime } from "./routing-time.ts";

const SEEDS = [1, 2, 3, 4, 5];
const EXAMPLES = [1, 5];
/** The number of documents of known kinds that show how much coverage the refusal of unknown ones costs. */
const MAX_KNOWN = 100;

type TextScorer = (text: string) => RouteScore[];

/** Returns the scorer that has learned from these documents. */
function learnFrom(
  routes: readonly RouteProfile[],
  examples: readonly LabeledDocument[],
  cold: RouteScorer,
): TextScorer {
  const known = new Set(routes.map(({ id }) => id));
  const texts = examples.map(({ id, label, text }): LabeledText => ({
    id,
    routeId: known.has(label) ? label : null,
    text,
  }));
  const state = learn(texts, routes, cold);
  if (state === undefined) return cold;
  const score = createLearnedScorer(state);
  return (text) => score(routes, cold, text);
}

function format(value: number): string {
  return Number.isNaN(value) ? "n/a" : value.toFixed(3);
}

function describe(measures: RoutingMeasures): string {
  const { right, rightAnswered, coverage, accuracyOfAnswers, macroF1, worstRecall, worstAnswered } = measures;
  const { accuracyOfCertain, errorOfAnswers, chanceOfAnswers, errorOfAll, rejected } = measures;
  return [
    `right ${format(right)} (answered ${format(rightAnswered)}), macro-F1 ${format(macroF1)}`,
    `of answers ${format(accuracyOfAnswers)} at ${format(coverage)}, ${format(accuracyOfCertain)} at ${format(MAX_COVERAGE)} or less`,
    `worst route ${format(worstRecall)} (answered ${format(worstAnswered)})`,
    `calibration error ${format(errorOfAnswers)} of answers (by chance ${format(chanceOfAnswers)}), ${format(errorOfAll)} of all`,
    `${NOWHERE} rejected ${format(rejected)}`,
  ].join("; ");
}

function measureSet({ name, routes, documents }: RoutingSet): void {
  const cold = createRememberingScorer(routes);
  const score = (scorer: TextScorer, some: readonly LabeledDocument[]) =>
    measureRouting(
      routes,
      some.map(({ label, text }) => ({ label, scores: scorer(text) })),
    );
  console.log(`${name}: ${String(routes.length)} routes, ${String(documents.length)} documents`);
  console.log(`  cold: ${describe(score(cold, documents))}`);
  for (const count of EXAMPLES) {
    const draws = SEEDS.map((seed) => drawExamples(documents, count, seed));
    const learned = draws.map(({ examples, rest }) => score(learnFrom(routes, examples, cold), rest));
    const rights = learned.map(({ right }) => right);
    console.log(
      `  cold, the documents that ${String(count)} examples leave: ${describe(averageMeasures(draws.map(({ rest }) => score(cold, rest))))}`,
    );
    console.log(
      `  ${String(count)} examples: ${describe(averageMeasures(learned))}; right by seed ${rights.map(format).join(" ")}`,
    );
  }
}

/** Measures the documents of routes without examples beside routes that have 5, as when the review of documents has just begun. */
function measureHalf({ name, routes, documents }: RoutingSet): void {
  const cold = createRememberingScorer(routes);
  for (const part of [0, 1]) {
    const { examples, rest } = drawExamples(documents, 5, part + 1);
    const taught = new Set(routes.filter((_, place) => place % 2 === part).map(({ id }) => id));
    const learned = learnFrom(
      routes,
      examples.filter(({ label }) => taught.has(label)),
      cold,
    );
    const untaught = rest.filter(({ label }) => label !== NOWHERE && !taught.has(label));
    for (const [title, scorer] of [["cold", cold] as const, ["learned", learned] as const]) {
      const measures = measureRouting(
        routes,
        untaught.map(({ label, text }) => ({ label, scores: scorer(text) })),
      );
      console.log(
        `${name}, routes without examples beside taught ones, half ${part + 1}, ${title}: ${describe(measures)}`,
      );
    }
  }
}

/** Measures which documents of a route are refused if the classifier lacks it, and the coverage of others. */
function measureUnknown({ name, routes, documents }: RoutingSet): void {
  for (const count of [0, 5]) {
    const refusals: string[] = [];
    let refusedSum = 0;
    let covered = 0;
    let right = 0;
    let known = 0;
    for (const [place, { id: left }] of routes.entries()) {
      const others = routes.filter(({ id }) => id !== left);
      const { examples, rest } = drawExamples(documents, count, place + 1);
      const scorer = learnFrom(
        others,
        examples.filter(({ label }) => label !== left),
        createRememberingScorer(others),
      );
      const decideOn = ({ text }: LabeledDocument) => decideWithDefaults(others, scorer(text));
      const unknown = documents.filter(({ label }) => label === left);
      const refused =
        unknown.filter((document) => decideOn(document).status === "UNCLASSIFIED").length / unknown.length;
      refusals.push(`${left} ${refused.toFixed(2)}`);
      refusedSum += refused;
      const inside = rest.filter(({ label }) => label !== left && label !== NOWHERE).slice(0, MAX_KNOWN);
      for (const document of inside) {
        const decision = decideOn(document);
        known += 1;
        if (decision.status !== "CLASSIFIED") continue;
        covered += 1;
        if (decision.routeId === document.label) right += 1;
      }
    }
    const summary = `unknown kinds refused ${format(refusedSum / routes.length)}, known ones answered ${format(covered / known)}, right ${format(right / covered)}`;
    console.log(`${name}, one route left out, ${String(count)} examples: ${summary}`);
    console.log(`  ${refusals.join(", ")}`);
  }
}

/** Measures what is refused, and what of other documents is answered right, if nothing is reviewed but that some belong to no route. */
function measureReviewedUnknown({ name, routes, documents }: RoutingSet): void {
  for (const count of [0, 1, 5]) {
    let refusedSum = 0;
    let rightSum = 0;
    for (const [place, { id: left }] of routes.entries()) {
      const others = routes.filter(({ id }) => id !== left);
      const { examples, rest } = drawExamples(documents, count, place + 1);
      const reviewed = examples.filter(({ label }) => label === left);
      const scorer = learnFrom(others, reviewed, createRememberingScorer(others));
      const decideOn = ({ text }: LabeledDocument) => decideWithDefaults(others, scorer(text));
      const unknown = rest.filter(({ label }) => label === left);
      const known = rest.filter(({ label }) => label !== left && label !== NOWHERE).slice(0, MAX_KNOWN);
      refusedSum +=
        unknown.filter((document) => decideOn(document).status === "UNCLASSIFIED").length / Math.max(1, unknown.length);
      rightSum +=
        known.filter((document) => {
          const decision = decideOn(document);
          return decision.status === "CLASSIFIED" && decision.routeId === document.label;
        }).length / known.length;
    }
    console.log(
      `${name}, one route left out, ${String(count)} of its documents reviewed: unknown kinds refused ${format(refusedSum / routes.length)}, known ones answered right ${format(rightSum / routes.length)}`,
    );
  }
}

const folder = process.env["DOCUMENT_SETS"];
if (folder === undefined || folder === "") console.log("skipped: DOCUMENT_SETS names no folder");
else {
  const sets = ["office-mix", "contract-types"].map((name) => readRoutingSet(folder, name));
  for (const set of sets) measureSet(set);
  for (const set of sets) measureHalf(set);
  for (const set of sets) measureUnknown(set);
  for (const set of sets) measureReviewedUnknown(set);
  measureDecisionTime(sets);
}
