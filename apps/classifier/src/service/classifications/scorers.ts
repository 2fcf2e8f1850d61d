import { createHash } from "node:crypto";
import { unavailable } from "@switchyard/rpc";
import { LRUCache } from "lru-cache";
import { truncateExamples } from "../../domain/scoring/route-profile.ts";
import type { RouteProfile, RouteScore } from "../../domain/scoring/scorer.ts";
import type { KeyedProfile } from "../../scoring/route-scorers.ts";
import type { ScoringThread } from "../../scoring/thread.ts";
import type { ClassifierConfiguration, RouteDocument } from "../../store/classifier-document.ts";
import type { ClassifierStore } from "../../store/classifiers.ts";
import type { Targets } from "../routes/targets.ts";

/** The version of the scorer that has learned nothing. Another version may choose other routes for the same document. */
export const engineVersion = "1";

/** The scores of a document, and the version of what computed them. */
export interface Scoring {
  readonly scores: RouteScore[];
  /** The version of the scorer and of what it had learned: the same version gives the same text the same scores. */
  readonly version: string;
  /** The number of reviewed documents that the scorer had learned from. */
  readonly learnedFrom: number;
}

/** Scores documents for the routes of classifiers. */
export interface Scorers {
  /**
   * Scores a text for every route of a classifier, with the columns that the targets have at the moment. Throws UNAVAILABLE if the
   * scoring thread cannot answer.
   */
  score(classifier: ClassifierConfiguration, targets: Targets, text: string): Promise<Scoring>;
}

/** The maximum number of classifiers whose scorer is cached by its key. */
const maxClassifiers = 10_000;
/** The number of routes that are loaded and read together. Documents of other classifiers are scored between two batches. */
const routeBatchSize = 10;
/** The number of attempts to build a scorer that the thread has evicted meanwhile. */
const maxAttempts = 3;

/**
 * Creates the scorers. A scorer is built again when its classifier or the columns of a target have changed. It is built once for all
 * documents that wait for it, and only routes that have changed are read again.
 */
export function createScorers({ getExamples }: Pick<ClassifierStore, "getExamples">, thread: ScoringThread): Scorers {
  const cache = new LRUCache<string, { version: string; scorer: Promise<string> }>({ max: maxClassifiers });

  function getScorer(classifier: ClassifierConfiguration, targets: Targets) {
    const columns = classifier.routes.map((route) => getColumnNames(route, targets));
    const version = digest([classifier.updatedAt.getTime(), classifier.routes.map(({ id }) => id), columns]);
    const cached = cache.get(classifier._id);
    if (cached?.version === version) return cached;
    const entry = { version, scorer: build(classifier, columns) };
    cache.set(classifier._id, entry);
    return entry;
  }

  /** Builds the scorer of a classifier and returns its key. */
  async function build(classifier: ClassifierConfiguration, columns: readonly (readonly string[])[]): Promise<string> {
    const keys: string[] = [];
    for (let start = 0; start < classifier.routes.length; start += routeBatchSize) {
      const routes = classifier.routes.slice(start, start + routeBatchSize);
      const examples = await getExamples(
        classifier._id,
        routes.map(({ id }) => id),
      );
      const profiles = routes.map((route, index) =>
        toKeyedProfile({
          id: route.id,
          name: route.name,
          description: route.description,
          columnLabels: columns[start + index] ?? [],
          examples: truncateExamples(examples.get(route.id) ?? []),
          group: route.modelId,
        }),
      );
      keys.push(...profiles.map(({ key }) => key));
      const missing = new Set(await thread.findMissing(profiles.map(({ key }) => key)));
      if (missing.size > 0) await thread.read(profiles.filter(({ key }) => missing.has(key)));
    }
    const scorer = digest(keys);
    // If it cannot be assembled, because routes were evicted meanwhile, scoring finds no scorer and tries again.
    await thread.assemble(scorer, keys);
    return scorer;
  }

  return {
    async score(classifier, targets, text) {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const entry = getScorer(classifier, targets);
        try {
          const scores = await thread.score(await entry.scorer, text);
          if (scores !== undefined) return { scores, version: engineVersion, learnedFrom: 0 };
        } catch (error) {
          forget(classifier, entry);
          throw error;
        }
        forget(classifier, entry);
      }
      throw unavailable("SCORER_UNAVAILABLE", "The document cannot be scored at the moment.");
    },
  };

  function forget({ _id }: ClassifierConfiguration, entry: object): void {
    if (cache.peek(_id) === entry) cache.delete(_id);
  }
}

function toKeyedProfile(profile: RouteProfile): KeyedProfile {
  return { key: digest(profile), profile };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64");
}

/** Returns the names of the columns of the schema that a route's target has. */
function getColumnNames(route: RouteDocument, targets: Targets): readonly string[] {
  const { model, deployment } = targets.get(route) ?? {};
  return deployment?.columnNames ?? model?.columnNames ?? [];
}
