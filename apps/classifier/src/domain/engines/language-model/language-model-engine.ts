import type { EngineQuestion } from "@switchyard/engines";
import type { ClassificationEngine, ModelUsage } from "../engine.ts";
import { parseAnswer } from "./answer.ts";
import type { RoutingAnswer } from "./answer.ts";
import { PROMPT_VERSION, toQuestion } from "./prompt.ts";
import { findQuotes } from "./quote.ts";

/**
 * Sends a question to a language model. `accept` throws if an answer cannot be used. Rejects if no answer could be obtained that can.
 */
export type ModelPort = (
  question: EngineQuestion,
  accept: (answer: unknown) => RoutingAnswer,
) => Promise<{ readonly answer: RoutingAnswer; readonly modelName: string; readonly usage: ModelUsage }>;

/** Creates the engine that lets a language model choose one of the routes, or none. What the model quotes is looked up in the document. */
export function createLanguageModelEngine(port: ModelPort): ClassificationEngine {
  return {
    async ask({ text, routes }) {
      const routeIds = new Set(routes.map(({ id }) => id));
      const { answer, modelName, usage } = await port(toQuestion(text, routes), (given) => {
        const parsed = parseAnswer(given, routeIds);
        if (parsed === undefined) throw new Error("the answer chooses none of the routes");
        return parsed;
      });
      const quotes = findQuotes(answer.quotes, text);
      const { routeId, reason } = answer;
      return { kind: "choice", routeId, quotes, reason, modelName, version: PROMPT_VERSION, usage };
    },
  };
}
