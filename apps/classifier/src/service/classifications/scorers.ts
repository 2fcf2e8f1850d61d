import { createHash } from "node:crypto";
import { unavailable } from "@switchyard/rpc";
import { LRUCache } from "lru-cache";
import { truncateExamples } from "../../domain/scoring/route-profile.ts";
import type { RouteProfile, RouteScore } from "../../domain/scoring/scorer.ts";
import type { KeyedProfile } from "../../scoring/route-scorers.ts";
import type { ScoringThread } from "../../scoring/thread.ts";
import type { ClassifierConfiguration } from "../../store/classifier-document.ts";
import type { ClassifierStore } from "../../store/classifiers.ts";
import { getColumnNames } from "../routes/targets.ts";
import type { Targets } from "../routes/targets.ts";
import type { LearnedVersion, Learning } from "../learning/learning.ts";

/** The version of the scorer that has learned nothing. Another version may choose other routes for the same document. */
export const engineVersion = "2";

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
   * Scores a text for every route of a classifier, with the columns that the targets have at the moment, and with evidence if `explain` is
   * true. Throws UNAVAILABLE if the scoring thread cannot answer.
   */
  score(classifier: ClassifierConfiguration, targets: Targets, text: string, explain: boolean): Promise<Scoring>;
  /** Prepares the scorer of a classifier for scoring with what was learned for a purpose of its own. */
  prepare(classifier: ClassifierConfiguration, targets: Targets): Promise<PreparedScorer>;
}

/** The scorer of a classifier at a moment. */
export interface PreparedScorer {
  /** The routes, with their examples. */
  readonly profiles: readonly RouteProfile[];
  /** Scores a text with what was learned under a key, or without. Throws UNAVAILABLE if the thread has lost one of them. */
  score(learnedKey: string | undefined, text: string): Promise<RouteScore[]>;
}

/** The maximum number of classifiers whose scorer is cached by its key. */
const maxClassifiers = 10_000;
/** The number of routes that are loaded and read together. Documents of other classifiers are scored between two batches. */
const routeBatchSize = 10;
/** The number of attempts to build a scorer that the thread has evicted meanwhile. */
const maxAttempts = 3;

/**
 * Creates the scorers. A scorer is built again when its classifier or the columns of a target have changed. It is built once for all
 * documents that wait for it, and only routes that have changed are read again. Documents are scored with what `learning` has last
 * learned; until it has, by the routes and their examples alone.
 */
export function createScorers(
  { getExamples }: Pick<ClassifierStore, "getExamples">,
  thread: ScoringThread,
  learning: Pick<Learning, "find" | "relearn">,
): Scorers {
  const cache = new LRUCache<string, { version: string; scorer: Promise<string> }>({ max: maxClassifiers });

  function getScorer(classifier: ClassifierConfiguration, columns: Columns) {
    const version = digest([classifier.updatedAt.getTime(), classifier.routes.map(({ id }) => id), columns]);
    const cached = cache.get(classifier._id);
    if (cached?.version === version) return cached;
    const entry = { version, scorer: build(classifier, columns) };
    cache.set(classifier._id, entry);
    return entry;
  }

  async function loadProfiles(classifier: ClassifierConfiguration, columns: Columns, start: number, end: number) {
    const routes = classifier.routes.slice(start, end);
    const examples = await getExamples(
      classifier._id,
      routes.map(({ id }) => id),
    );
    return routes.map((route, index) => ({
      id: route.id,
      name: route.name,
      description: route.description,
      columnLabels: columns[start + index] ?? [],
      examples: examples.get(route.id) ?? [],
      group: route.modelId,
    }));
  }

  /** Builds the scorer of a classifier and returns its key. */
  async function build(classifier: ClassifierConfiguration, columns: Columns): Promise<string> {
    const keys: string[] = [];
    for (let start = 0; start < classifier.routes.length; start += routeBatchSize) {
      const loaded = await loadProfiles(classifier, columns, start, start + routeBatchSize);
      const profiles = loaded.map((profile) =>
        toKeyedProfile({ ...profile, examples: truncateExamples(profile.examples) }),
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

  /** Scores a text with what was learned, if anything was. Returns undefined if the thread does not have the scorer. */
  async function scoreWith(
    scorer: string,
    learned: LearnedVersion | undefined,
    classifierId: string,
    { text, explain }: { text: string; explain: boolean },
  ) {
    if (learned !== undefined) {
      const scores = await thread.scoreLearned(scorer, learned.key, text, explain);
      const { hash, learnedFrom } = learned;
      if (scores !== undefined) return { scores, version: `${engineVersion}+${hash}`, learnedFrom };
    }
    const scores = await thread.score(scorer, text, explain);
    if (scores === undefined) return undefined;
    // The thread has the scorer, so it has lost what was learned.
    if (learned !== undefined) learning.relearn(classifierId, learned.key);
    return { scores, version: engineVersion, learnedFrom: 0 };
  }

  return {
    async score(classifier, targets, text, explain) {
      const columns = classifier.routes.map((route) => getColumnNames(route, targets));
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const entry = getScorer(classifier, columns);
        try {
          const scorer = await entry.scorer;
          const learned = learning.find(classifier._id, entry.version, () =>
            loadProfiles(classifier, columns, 0, classifier.routes.length),
          );
          const scoring = await scoreWith(scorer, learned, classifier._id, { text, explain });
          if (scoring !== undefined) return scoring;
        } catch (error) {
          forget(classifier, entry);
          throw error;
        }
        forget(classifier, entry);
      }
      throw scorerUnavailable();
    },

    async prepare(classifier, targets) {
      const columns = classifier.routes.map((route) => getColumnNames(route, targets));
      const entry = getScorer(classifier, columns);
      // Both are awaited together, so that neither can fail unobserved, which would end the process.
      const loading = loadProfiles(classifier, columns, 0, classifier.routes.length);
      const [profiles, scorer] = await Promise.all([loading, entry.scorer]).catch((error: unknown) => {
        forget(classifier, entry);
        throw error;
      });
      return {
        profiles,
        async score(learnedKey, text) {
          const scores =
            learnedKey === undefined
              ? await thread.score(scorer, text, false)
              : await thread.scoreLearned(scorer, learnedKey, text, false);
          if (scores !== undefined) return scores;
          forget(classifier, entry);
          throw scorerUnavailable();
        },
      };
    },
  };

  function forget({ _id }: ClassifierConfiguration, entry: object): void {
    if (cache.peek(_id) === entry) cache.delete(_id);
  }
}

function scorerUnavailable() {
  return unavailable("SCORER_UNAVAILABLE", "The document cannot be scored at the moment.");
}

/** The names of the columns of each route. */
type Columns = readonly (readonly string[])[];

function toKeyedProfile(profile: RouteProfile): KeyedProfile {
  return { key: digest(profile), profile };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64");
}
