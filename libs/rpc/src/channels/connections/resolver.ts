import { lookup } from "node:dns/promises";
import { createBackoff, reconnectDelays } from "./backoff.ts";
import type { Address, Target } from "./target.ts";

/** Returns the IP addresses of a name. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** Resolves names as the operating system does. */
export const systemLookup: Lookup = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

/** Finds the addresses of a target. */
export interface Resolver {
  /**
   * Asks for the addresses. A name is looked up at most once in five seconds, and after a failure only after a short delay, so a request may
   * be answered later; those that come until then are answered together.
   */
  resolve(): void;
  /** Stops permanently: there will be no more answers. */
  stop(): void;
}

/** The minimum time between two lookups that succeed. Lookups may take a thread each, and a server that is down is looked up all the time. */
const minIntervalMs = 5_000;

/** Creates a resolver. It calls `found` with all addresses, at least one, or `failed`. A list of addresses is only found once. */
export function createResolver(
  target: Target,
  find: Lookup,
  { found, failed }: { found: (addresses: readonly Address[]) => void; failed: (error: Error) => void },
): Resolver {
  const backoff = createBackoff(reconnectDelays);
  let state: "idle" | "scheduled" | "pending" | "stopped" = "idle";
  let earliest = 0;
  let timer: NodeJS.Timeout | undefined;

  async function lookUp(name: string, port: number): Promise<void> {
    state = "pending";
    const begun = performance.now();
    let addresses: readonly string[] = [];
    let error = new Error("The name has no addresses.");
    try {
      addresses = await find(name);
    } catch (thrown) {
      error = thrown as Error;
    }
    if (isStopped()) return;
    state = "idle";
    earliest = begun + (addresses.length > 0 ? minIntervalMs : backoff.next());
    if (addresses.length > 0) {
      backoff.reset();
      found(addresses.map((host) => ({ host, port })));
    } else failed(error);
  }
  const isStopped = (): boolean => state === "stopped";

  return {
    resolve() {
      if (state !== "idle") return;
      if ("addresses" in target) {
        state = "stopped";
        found(target.addresses);
        return;
      }
      state = "scheduled";
      const begin = (): void => void lookUp(target.name, target.port);
      const delayMs = earliest - performance.now();
      if (delayMs > 0) timer = setTimeout(begin, delayMs).unref();
      else begin();
    },
    stop() {
      state = "stopped";
      clearTimeout(timer);
    },
  };
}
