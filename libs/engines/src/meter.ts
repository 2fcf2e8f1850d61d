import type { Tokens } from "./endpoint/attempt-failure.ts";
import type { EngineUsage } from "./engines.ts";

/** Adds up what a call uses. */
export interface Meter {
  add(tokens: Tokens): void;
  read(): EngineUsage;
}

/** Prices per million tokens. An engine without any has no costs that are known; if only one is given, the other is 0. */
export interface Prices {
  readonly inputPrice?: number | undefined;
  readonly outputPrice?: number | undefined;
}

/** Starts to measure a call. */
export function startMeter({ inputPrice, outputPrice }: Prices): Meter {
  const started = performance.now();
  let inputTokens = 0;
  let outputTokens = 0;
  const cost = (): number | null => {
    if (inputPrice === undefined && outputPrice === undefined) return null;
    return (inputTokens * (inputPrice ?? 0) + outputTokens * (outputPrice ?? 0)) / 1_000_000;
  };
  return {
    add: ({ input, output }) => {
      inputTokens += input;
      outputTokens += output;
    },
    read: () => ({ inputTokens, outputTokens, cost: cost(), latencyMs: Math.round(performance.now() - started) }),
  };
}
