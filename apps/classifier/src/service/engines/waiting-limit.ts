import { EngineFailure } from "@switchyard/engines";

/** Bounds how many documents wait for language models in this process. */
export interface WaitingLimit {
  /** Runs a request to an engine. Rejects at once with ENGINE_UNREACHABLE if too many are waiting already. */
  enter<Result>(engine: string, ask: () => Promise<Result>): Promise<Result>;
  /** Throws what `enter` would reject with now, so that nothing is done for a document that would be refused. */
  check(engine: string): void;
}

/**
 * Creates the bound. A document that waits for a language model occupies a call of the gateway, of which each method has 32, so some are
 * left for documents that the local engine classifies.
 */
export function createWaitingLimit(maxWaiting: number): WaitingLimit {
  let waiting = 0;
  function check(engine: string): void {
    if (waiting < maxWaiting) return;
    throw new EngineFailure("ENGINE_UNREACHABLE", `Too many documents are waiting for the engine ${engine}.`);
  }
  return {
    check,
    async enter(engine, ask) {
      check(engine);
      waiting += 1;
      try {
        return await ask();
      } finally {
        waiting -= 1;
      }
    },
  };
}
