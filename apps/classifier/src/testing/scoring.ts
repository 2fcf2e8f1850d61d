import { createDeletedProjects } from "@switchyard/change-feed";
import { connectStorage, createPassingCache } from "@switchyard/storage";
import { databaseName } from "../index.ts";
import { createScoringThread } from "../scoring/thread.ts";
import { createLearningThread } from "../learning/thread.ts";
import { createLearning } from "../service/learning/learning.ts";
import { createScorers } from "../service/classifications/scorers.ts";
import { classifierModels } from "../store/classifier-document.ts";
import { createClassifierStore } from "../store/classifiers.ts";
import { createReviewedDocumentStore } from "../store/reviews/reviewed-documents.ts";
import { classifier, createIdleOutbox, route } from "./documents.ts";

/** A route of the classifier that a measurement uses. */
export interface ScoredRouteInput {
  name: string;
  description: string;
  examples: string[];
}

/** A stored classifier that scores documents as the service does. */
export interface ClassifierScorers {
  score(text: string): Promise<unknown>;
  /** Changes the description of a route. */
  changeRoute(index: number, description: string): void;
  close(): Promise<void>;
}

/** Stores a classifier with these routes in a database, and creates its scorers. */
export async function createClassifierScorers(uri: string, inputs: ScoredRouteInput[]): Promise<ClassifierScorers> {
  const storage = await connectStorage({ uri, database: databaseName });
  const models = classifierModels(storage.connection);
  const outbox = createIdleOutbox(storage);
  const store = createClassifierStore(storage, models, createDeletedProjects(storage.connection), outbox);
  const reviewed = createReviewedDocumentStore(storage.connection, createPassingCache());
  await storage.ready();
  const routes = inputs.map(({ name, description }) => ({ ...route(name), description }));
  let current = classifier("Measured", "prj_a", routes);
  await store.insert(current, new Map(routes.map(({ id }, index) => [id, inputs[index]?.examples ?? []])));
  const thread = createScoringThread();
  const learning = createLearning(reviewed, createLearningThread(), thread, () => undefined);
  const scorers = createScorers(store, thread, learning);
  return {
    score: (text) => scorers.score(current, { get: () => undefined }, text, false),
    changeRoute(index, description) {
      const changed = current.routes.map((each, place) => (place === index ? { ...each, description } : each));
      current = { ...current, routes: changed, updatedAt: new Date(current.updatedAt.getTime() + 1) };
    },
    async close() {
      await learning.close();
      await thread.close();
      await storage.close();
    },
  };
}

/** A document that a measurement stores as reviewed. */
export interface StoredReview {
  id: string;
  classifierId: string;
  routeId: string;
  text: string;
}

/** Stores documents in a database as if they had been reviewed. */
export async function storeReviews(uri: string, reviews: readonly StoredReview[]): Promise<void> {
  const storage = await connectStorage({ uri, database: databaseName });
  const reviewed = createReviewedDocumentStore(storage.connection, createPassingCache());
  await storage.ready();
  for (let start = 0; start < reviews.length; start += 100) {
    await storage.atomically(async (session) => {
      for (const review of reviews.slice(start, start + 100))
        await reviewed.set({ ...review, fileIds: [], choices: [] }, session);
    });
  }
  await storage.close();
}
