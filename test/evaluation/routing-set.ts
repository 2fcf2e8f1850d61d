import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createRouteScorer } from "@switchyard/classifier/domain/scoring/scorer";
import type { RouteProfile, RouteScorer } from "@switchyard/classifier/domain/scoring/scorer";

/** A document and the ID of its route. */
export interface LabeledDocument {
  readonly id: string;
  readonly label: string;
  readonly text: string;
}

/** A set of documents, and the routes that a user would write for them. */
export interface RoutingSet {
  readonly name: string;
  readonly routes: readonly RouteProfile[];
  readonly documents: readonly LabeledDocument[];
}

/** The label of documents that belong to no route. */
export const NOWHERE = "spam";
/** The number of characters that the engine reads, with room to spare. */
const MAX_CHARACTERS = 9_000;

/** Reads a set of the folder DOCUMENT_SETS. Generated cover pages, which name the type of their document, are dropped. */
export function readRoutingSet(folder: string, name: string): RoutingSet {
  const lines = gunzipSync(readFileSync(join(folder, "routing", `${name}.jsonl.gz`))).toString("utf8");
  const documents = lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LabeledDocument)
    .map((document) => ({ ...document, text: dropCoverPage(document.text).slice(0, MAX_CHARACTERS) }));
  const routes = JSON.parse(readFileSync(join(folder, "routing", `${name}.routes.json`), "utf8")) as Record<
    string,
    { name: string; description: string; columns?: string[] }
  >;
  return {
    name,
    documents,
    routes: Object.entries(routes).map(([id, route]) => ({
      id,
      name: route.name,
      description: route.description,
      columnLabels: route.columns ?? [],
      examples: [],
    })),
  };
}

function dropCoverPage(text: string): string {
  const [first = "", ...others] = text.split("\f");
  return others.length > 0 && first.trimStart().startsWith("Document Metadata") ? others.join("\f") : text;
}

/** Creates a random number generator (Park and Miller), so that every run draws the same documents. */
function createRandom(seed: number): () => number {
  let state = seed * 7_919 + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Draws `count` documents of each route as examples, and returns the rest too. Documents of no route are never examples. */
export function drawExamples(documents: readonly LabeledDocument[], count: number, seed: number) {
  const random = createRandom(seed);
  const shuffled = documents
    .map((document) => ({ document, place: random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ document }) => document);
  const drawn = new Map<string, number>();
  const examples: LabeledDocument[] = [];
  const rest: LabeledDocument[] = [];
  for (const document of shuffled) {
    const known = drawn.get(document.label) ?? 0;
    if (document.label === NOWHERE || known >= count) rest.push(document);
    else {
      examples.push(document);
      drawn.set(document.label, known + 1);
    }
  }
  return { examples, rest };
}

/** Creates the cold scorer of routes. It scores each text once. */
export function createRememberingScorer(routes: readonly RouteProfile[]): RouteScorer {
  const score = createRouteScorer(routes);
  const known = new Map<string, ReturnType<RouteScorer>>();
  return (text, options) => {
    const scores = known.get(text) ?? score(text, options);
    known.set(text, scores);
    return scores;
  };
}
