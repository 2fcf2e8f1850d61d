import type { EngineUsage } from "./engines.ts";

/** The codes of a request to an engine that failed. They are also reasons of errors and of extractions that failed. */
export type EngineFailureCode = "ENGINE_UNREACHABLE" | "ENGINE_TIMEOUT" | "ENGINE_REFUSED" | "ENGINE_ANSWER_INVALID";

/**
 * A request to an engine that failed after its retries. The message is a sentence for people; it contains the name of the engine, but never
 * an address, a key, or text of the endpoint. `usage` is what the attempts have cost nevertheless.
 */
export class EngineFailure extends Error {
  readonly code: EngineFailureCode;
  readonly usage: EngineUsage;

  constructor(code: EngineFailureCode, message: string, usage: EngineUsage = noUsage) {
    super(message);
    this.name = "EngineFailure";
    this.code = code;
    this.usage = usage;
  }
}

/** The usage of a request that was never sent. */
const noUsage: EngineUsage = { inputTokens: 0, outputTokens: 0, cost: null, latencyMs: 0 };
