import { createRouteScorer } from "../domain/scorer.ts";
import type { RouteProfile, RouteScore } from "../domain/scorer.ts";
import type { ClassifierDocument, RouteDocument } from "../store/classifier-document.ts";
import type { ClassifierStore } from "../store/classifiers.ts";
import type { Targets } from "./targets.ts";

/** Scores a text for every route of one classifier. */
export type Scorer = (text: string) => RouteScore[];

/** The scorers of classifiers: reading all words of a classifier with many routes and examples takes up to a second. */
export interface Scorers {
  /** The scorer of a classifier as it is now, with the columns that its targets serve now. */
  of(classifier: ClassifierDocument, targets: Targets): Promise<Scorer>;
}

/** How many scorers are kept. */
const capacity = 200;

/** Creates the scorers. One is made anew when its classifier or the columns of a target have changed; the least used go first. */
export function createScorers({ examplesOf }: Pick<ClassifierStore, "examplesOf">): Scorers {
  const known = new Map<string, { version: string; scorer: Scorer }>();
  return {
    async of(classifier, targets) {
      const columns = classifier.routes.map((route) => columnNames(route, targets));
      const version = JSON.stringify([classifier.updatedAt.getTime(), classifier.routeCount, columns]);
      const found = known.get(classifier._id);
      const scorer =
        found?.version === version ? found.scorer : createRouteScorer(await profiles(classifier, columns, examplesOf));
      known.delete(classifier._id);
      known.set(classifier._id, { version, scorer });
      const [oldest] = known.keys();
      if (known.size > capacity && oldest !== undefined) known.delete(oldest);
      return scorer;
    },
  };
}

/** The names of the columns of the schema that a route's target serves: what its documents say. */
function columnNames(route: RouteDocument, targets: Targets): readonly string[] {
  const { model, deployment } = targets.of(route) ?? {};
  return deployment?.columnNames ?? model?.columnNames ?? [];
}

async function profiles(
  classifier: ClassifierDocument,
  columns: readonly (readonly string[])[],
  examplesOf: ClassifierStore["examplesOf"],
): Promise<RouteProfile[]> {
  const examples = await examplesOf(classifier._id);
  return classifier.routes.map((route, index) => ({
    id: route.id,
    name: route.name,
    description: route.description,
    columnLabels: columns[index] ?? [],
    examples: examples.get(route.id) ?? [],
    group: route.modelId,
  }));
}
