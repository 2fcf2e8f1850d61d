import { createClient } from "@connectrpc/connect";
import type { Transport } from "@connectrpc/connect";
import { EngineLimitService } from "@switchyard/contracts/switchyard/configuration/internal/v1/engine_limits";

/** The places of language models that all processes share, as `openEngines` needs them. */
export interface SharedEnginePlaces {
  take(
    request: {
      engine: string;
      placeId: string;
      parallel: number;
      requestsPerMinute: number;
      expiresInMs: number;
    },
    signal: AbortSignal,
  ): Promise<{ taken: boolean; retryInMs: number }>;
  free(engine: string, placeId: string): Promise<void>;
}

/** How long the configuration service may take. It counts in memory or with two commands. */
const timeoutMs = 2_000;

/** Shares the places of language models through the configuration service. Calls reject if it cannot be reached. */
export function createSharedEnginePlaces(configuration: Transport): SharedEnginePlaces {
  const limits = createClient(EngineLimitService, configuration);
  return {
    take: (request, signal) => limits.takePlace(request, { signal, timeoutMs }),
    free: async (engine, placeId) => {
      await limits.freePlace({ engine, placeId }, { timeoutMs });
    },
  };
}
