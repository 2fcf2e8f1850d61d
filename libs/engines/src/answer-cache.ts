import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { CompletionRequest } from "./endpoint/messages.ts";

/** Keeps answers that were accepted, separately for each organization. */
export interface AnswerCache {
  get(organizationId: string, key: string): Promise<string | undefined>;
  set(organizationId: string, key: string, answer: string): Promise<void>;
}

/** The key of an answer: everything that it depends on, and the version of the prompt. */
export function answerKey(engine: string, promptVersion: string, request: CompletionRequest): string {
  return createHash("sha256")
    .update(JSON.stringify([engine, promptVersion, request]))
    .digest("base64url");
}

/** The maximum number of characters of all answers with their keys. */
const maxSize = 16 * 1024 * 1024;

/** Creates a cache in the memory of this process. An answer is kept for an hour. */
export function createAnswerCache(): AnswerCache {
  const answers = new LRUCache<string, string>({
    maxSize,
    sizeCalculation: (answer, key) => answer.length + key.length,
    ttl: 3600_000,
  });
  const place = (organizationId: string, key: string): string => JSON.stringify([organizationId, key]);
  return {
    get: async (organizationId, key) => answers.get(place(organizationId, key)),
    set: async (organizationId, key, answer) => void answers.set(place(organizationId, key), answer),
  };
}
