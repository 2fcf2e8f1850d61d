import { AttemptFailure } from "./attempt-failure.ts";
import type { Tokens } from "./attempt-failure.ts";

/** The text of a completion that was not cut off, and the tokens it took. */
export interface Completion {
  readonly text: string;
  readonly tokens: Tokens;
}

/**
 * Reads the response of an endpoint, none of which is trusted. Throws an `AttemptFailure`: ENGINE_REFUSED for a refusal and for a content
 * filter, ENGINE_ANSWER_INVALID for an answer that was cut off, that is empty, or that is no completion at all.
 */
export function readCompletion(response: unknown): Completion {
  const tokens = readTokens(field(response, "usage"));
  const choices = field(response, "choices");
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = field(choice, "message");
  const reason = field(choice, "finish_reason");
  const refusal = field(message, "refusal");
  if (reason === "content_filter" || (typeof refusal === "string" && refusal !== "")) {
    throw new AttemptFailure({ code: "ENGINE_REFUSED", tokens });
  }
  const text = field(message, "content");
  if (reason === "length" || typeof text !== "string" || text.trim() === "") {
    throw new AttemptFailure({ code: "ENGINE_ANSWER_INVALID", tokens });
  }
  return { text, tokens };
}

function readTokens(usage: unknown): Tokens {
  return { input: count(field(usage, "prompt_tokens")), output: count(field(usage, "completion_tokens")) };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
