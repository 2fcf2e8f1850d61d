import { learn } from "@switchyard/classifier/domain/learning/learner";
import { createLearnedScorer } from "@switchyard/classifier/domain/learning/learned-scorer";
import { createRouteScorer } from "@switchyard/classifier/domain/scoring/scorer";
import { decideWithDefaults } from "./routing-measures.ts";
import { NOWHERE } from "./routing-set.ts";
import type { RoutingSet } from "./routing-set.ts";

const ROUTES = 50;
const REVIEWS = 1_000;
const DECISIONS = 300;

/** Prints the time of learning and of a decision with 50 routes and 1,000 reviews: the documents of the sets with some of their lines. */
export function measureDecisionTime(sets: readonly RoutingSet[]): void {
  const routes = Array.from({ length: 2 }, (_, copy) =>
    sets.flatMap((set) => set.routes.map((route) => ({ ...route, id: `${route.id} ${String(copy)}` }))),
  )
    .flat()
    .slice(0, ROUTES);
  const known = new Set(routes.map(({ id }) => id));
  const documents = sets.flatMap((set) => set.documents).filter(({ label }) => label !== NOWHERE);
  const texts = Array.from({ length: 4 }, (_, copy) =>
    documents.map(({ id, label, text }, place) => ({
      id: `${id} ${String(copy)}`,
      routeId: `${label} ${String(place % 2)}`,
      text: text
        .split("\n")
        .filter((_line, line) => line % 4 !== copy)
        .join("\n"),
    })),
  )
    .flat()
    .filter(({ routeId }) => known.has(routeId))
    .slice(0, REVIEWS);
  const cold = createRouteScorer(routes);
  const started = performance.now();
  const state = learn(texts, routes, cold);
  const learned = performance.now() - started;
  if (state === undefined) return;
  const score = createLearnedScorer(state);
  const time = (decideOn: (text: string) => unknown): string => {
    const times = Array.from({ length: DECISIONS }, (_, index) => {
      const { text } = documents[(index * 7) % documents.length]!;
      const before = performance.now();
      decideOn(text);
      return performance.now() - before;
    }).sort((left, right) => left - right);
    return `median ${times[DECISIONS >> 1]!.toFixed(2)} ms, p90 ${times[Math.floor(DECISIONS * 0.9)]!.toFixed(2)} ms`;
  };
  const size = state.weights.byteLength + state.centroids.byteLength + state.features.length;
  console.log(
    `${String(routes.length)} routes, ${String(texts.length)} reviews: learned in ${learned.toFixed(0)} ms, ${(size / 1e6).toFixed(1)} MB`,
  );
  for (const explain of [false, true]) {
    const evidence = explain ? "with evidence" : "without evidence";
    const coldTime = time((text) => decideWithDefaults(routes, cold(text, { explain })));
    const learnedTime = time((text) => decideWithDefaults(routes, score(routes, cold, text, { explain })));
    console.log(`  a decision ${evidence}, cold: ${coldTime}`);
    console.log(`  a decision ${evidence}, learned: ${learnedTime}`);
  }
}
