import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { EmbeddedMongo, EmbeddedMongoOptions } from "./server.ts";

export { createEmbeddedMongoServer, type EmbeddedMongo, type EmbeddedMongoOptions } from "./server.ts";

/**
 * Serves a data folder from a worker thread, so that the caller's event loop is never blocked by it, and ends with the
 * process whatever ends that. Fails when another server has the folder (the message names it), or the port is taken.
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  // Only types are stripped from worker.ts, whatever loader the caller's own modules went through.
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: { ...options }, execArgv: [] });
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const ended = exited.then(() => Promise.reject(new Error("the embedded server ended before it served")));
  const [where] = (await Promise.race([once(worker, "message"), ended])) as [Pick<EmbeddedMongo, "uri" | "port">];
  return {
    ...where,
    async close() {
      worker.postMessage("close");
      await exited;
    },
  };
}
