/** The outcome of a check. */
export interface EngineCheck {
  readonly ready: boolean;
  readonly at: Date;
}

/** How long an outcome is reused, so that listing the engines often does not burden their endpoints. */
const freshMs = 15_000;
/** An endpoint that needs longer counts as unreachable. */
const timeoutMs = 2_000;

/** Creates a function that checks an engine. An outcome is used for 15 s, and calls during a check share it. It never rejects. */
export function createEngineChecks(
  ping: (name: string, signal: AbortSignal) => Promise<boolean>,
  now: () => Date,
): (name: string) => Promise<EngineCheck> {
  const outcomes = new Map<string, EngineCheck>();
  const running = new Map<string, Promise<EngineCheck>>();

  async function check(name: string): Promise<EngineCheck> {
    try {
      const ready = await ping(name, AbortSignal.timeout(timeoutMs)).catch(() => false);
      const outcome = { ready, at: now() };
      outcomes.set(name, outcome);
      return outcome;
    } finally {
      running.delete(name);
    }
  }

  return async (name) => {
    const known = outcomes.get(name);
    if (known !== undefined && now().getTime() - known.at.getTime() < freshMs) return known;
    const current = running.get(name) ?? check(name);
    running.set(name, current);
    return current;
  };
}
