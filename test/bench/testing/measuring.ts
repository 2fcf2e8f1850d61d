import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that is measured. Its responses must be 2xx with the same body. */
export interface Contender {
  name: string;
  url: string;
  headers: Record<string, string>;
}

/** The duration of the requests of a contender. */
export interface Measured {
  medianMs: number;
  /** The SHA-256 of the body of every response. */
  bodyHash: string;
}

const warmUp = 20;

/** Sends the requests of all contenders in turn, so that disturbances affect all of them. Throws if a response is wrong. */
export async function measured(contenders: readonly Contender[], times: number): Promise<Measured[]> {
  const durations = contenders.map((): number[] => []);
  const hashes = contenders.map(() => new Set<string>());
  for (let time = -warmUp; time < times; time += 1) {
    for (const [index, { name, url, headers }] of contenders.entries()) {
      const started = performance.now();
      const response = await fetch(url, { headers });
      const body = await response.arrayBuffer();
      const took = performance.now() - started;
      if (!response.ok) throw new Error(`${name} responded with ${response.status}: ${Buffer.from(body).toString()}`);
      hashes[index]?.add(createHash("sha256").update(Buffer.from(body)).digest("hex"));
      if (time >= 0) durations[index]?.push(took);
    }
  }
  return contenders.map(({ name }, index) => {
    const [bodyHash, ...others] = hashes[index] ?? [];
    if (bodyHash === undefined || others.length > 0) throw new Error(`${name} responded with different bodies`);
    return { medianMs: getMedian(durations[index] ?? []), bodyHash };
  });
}

/** Starts a server that only sends this body, as the baseline for responses of its size. */
export async function startFloor(body: Uint8Array): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.byteLength }).end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the middle value, or 0 without values. */
export function getMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
