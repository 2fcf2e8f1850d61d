import { createHash } from "node:crypto";
import { unavailable } from "@switchyard/rpc";
import { readExamples } from "../../domain/scoring/route-profile.ts";
import type { RouteProfile, RouteScore } from "../../domain/scoring/scorer.ts";
import type { KeyedProfile } from "../../scoring/route-scorers.ts";
import type { ScoringThread } from "../../scoring/thread.ts";
import type { ClassifierDocument, RouteDocument } from "../../store/classifier-document.ts";
import type { ClassifierStore } from "../../store/classifiers.ts";
import type { Targets } from "../routes/targets.ts";

/** The scorers of classifiers. */
export interface Scorers {
  /**
   * Scores a text for every route of a classifier as it is now, with the columns that its targets serve now. Throws Unavailable when
   * that cannot be done at the moment.
   */
  score(classifier: ClassifierDocument, targets: Targets, text: string): Promise<RouteScore[]>;
}

/** How many classifiers are remembered by the key of their scorer. */
const capacity = 10_000;
/** How many routes are loaded and read at a time: documents of other classifiers are scored in between. */
const routesAtOnce = 10;
/** How often a scorer is made that the thread has lost meanwhile. */
const attempts = 3;

/**
 * Creates the scorers. One is made when its classifier or the columns of a target have changed: once, whatever number of documents
 * wait for it, and only of the routes that have changed.
 */
export function createScorers({ getExamples }: Pick<ClassifierStore, "getExamples">, thread: ScoringThread): Scorers {
  /** The least recently used first. */
  const known = new Map<string, { version: string; scorer: Promise<string> }>();

  function getScorer(classifier: ClassifierDocument, targets: Targets) {
    const columns = classifier.routes.map((route) => columnNames(route, targets));
    const version = digest([classifier.updatedAt.getTime(), classifier.routes.map(({ id }) => id), columns]);
    const found = known.get(classifier._id);
    const entry = found?.version === version ? found : { version, scorer: make(classifier, columns) };
    known.delete(classifier._id);
    known.set(classifier._id, entry);
    const [oldest] = known.keys();
    if (known.size > capacity && oldest !== undefined) known.delete(oldest);
    return entry;
  }

  /** Makes the scorer of a classifier and answers its key. */
  async function make(classifier: ClassifierDocument, columns: readonly (readonly string[])[]): Promise<string> {
    const keys: string[] = [];
    for (let start = 0; start < classifier.routes.length; start += routesAtOnce) {
      const routes = classifier.routes.slice(start, start + routesAtOnce);
      const examples = await getExamples(
        classifier._id,
        routes.map(({ id }) => id),
      );
      const profiles = routes.map((route, index) =>
        keyed({
          id: route.id,
          name: route.name,
          description: route.description,
          columnLabels: columns[start + index] ?? [],
          examples: readExamples(examples.get(route.id) ?? []),
          group: route.modelId,
        }),
      );
      keys.push(...profiles.map(({ key }) => key));
      const lacking = new Set(await thread.lacking(profiles.map(({ key }) => key)));
      if (lacking.size > 0) await thread.read(profiles.filter(({ key }) => lacking.has(key)));
    }
    const scorer = digest(keys);
    // When it cannot be made, because what was read is lost, whoever scores finds no scorer and begins anew.
    await thread.assemble(scorer, keys);
    return scorer;
  }

  return {
    async score(classifier, targets, text) {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const entry = getScorer(classifier, targets);
        try {
          const scores = await thread.score(await entry.scorer, text);
          if (scores !== undefined) return scores;
        } catch (error) {
          forget(classifier, entry);
          throw error;
        }
        forget(classifier, entry);
      }
      throw unavailable("SCORER_UNAVAILABLE", "The document cannot be scored at the moment.");
    },
  };

  function forget({ _id }: ClassifierDocument, entry: object): void {
    if (known.get(_id) === entry) known.delete(_id);
  }
}

function keyed(profile: RouteProfile): KeyedProfile {
  return { key: digest(profile), profile };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64");
}

/** The names of the columns of the schema that a route's target serves: what its documents say. */
function columnNames(route: RouteDocument, targets: Targets): readonly string[] {
  const { model, deployment } = targets.of(route) ?? {};
  return deployment?.columnNames ?? model?.columnNames ?? [];
}
