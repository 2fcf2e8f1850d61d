import { createAnswerCache } from "./answer-cache.ts";
import { createAsking } from "./asking.ts";
import { openEndpoint } from "./endpoint/endpoint.ts";
import type { EngineDefinition } from "./engine-file.ts";
import type { EngineDescription, Engines } from "./engines.ts";
import { EngineFailure } from "./failure.ts";
import { createCircuit } from "./limits/circuit.ts";
import { createLimits } from "./limits/limits.ts";
import type { SharedPlaces } from "./limits/shared.ts";

/** Opens the engines of the operator's file. No connection is made before the first question. */
export function openEngines(options: {
  readonly definitions: readonly EngineDefinition[];
  /** Places that this process shares with others; by default it shares none. */
  readonly shared?: SharedPlaces;
  /** How long to wait before a second attempt in milliseconds, give or take a half; 500 by default. */
  readonly pauseMs?: number;
}): Engines {
  const closing = new AbortController();
  const cache = createAnswerCache();
  const engines = new Map(
    options.definitions.map((definition) => {
      const guarded = {
        endpoint: openEndpoint(definition),
        limits: createLimits(definition, options.shared),
        circuit: createCircuit(),
        timeoutMs: definition.timeoutSeconds * 1000,
        pauseMs: options.pauseMs ?? 500,
      };
      const asking = createAsking({ definition, guarded, cache, closing: closing.signal });
      return [definition.name, { definition, endpoint: guarded.endpoint, ask: asking }];
    }),
  );
  const usable = (organizationId: string, name: string) => {
    const engine = engines.get(name);
    return engine !== undefined && mayUse(organizationId, engine.definition) ? engine : undefined;
  };

  return {
    list: (organizationId) =>
      [...engines.values()]
        .filter(({ definition }) => mayUse(organizationId, definition))
        .map(({ definition }) => describe(definition)),
    find: (organizationId, name) => {
      const engine = usable(organizationId, name);
      return engine && describe(engine.definition);
    },
    ask: async (call) => {
      const engine = usable(call.organizationId, call.engine);
      if (engine === undefined) {
        throw new EngineFailure("ENGINE_UNREACHABLE", `The server has no engine ${call.engine} any more.`);
      }
      return engine.ask(call);
    },
    ping: async (name, signal) => {
      const ended = AbortSignal.any([signal ?? AbortSignal.timeout(5000), closing.signal]);
      return (await engines.get(name)?.endpoint.responds(ended)) ?? false;
    },
    close: async () => closing.abort(new EngineFailure("ENGINE_UNREACHABLE", "The server is stopping.")),
  };
}

function mayUse(organizationId: string, { organizations }: EngineDefinition): boolean {
  return organizations === undefined || organizations.includes(organizationId);
}

function describe({ name, models, images, contextTokens, timeoutSeconds }: EngineDefinition): EngineDescription {
  return { name, models, images, timeoutSeconds, ...(contextTokens !== undefined && { contextTokens }) };
}
