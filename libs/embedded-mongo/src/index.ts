import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { EmbeddedMongo, EmbeddedMongoOptions } from "./server.ts";

export { createEmbeddedMongoServer, type EmbeddedMongo } from "./server.ts";

/**
 * Serves a data folder in a worker thread, so that the event loop of the caller is never blocked. The server ends with the process. Throws
 * if another server uses the folder, which the error names, or if the port is in use.
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  // worker.ts is loaded with type stripping only, even if the caller's modules use another loader.
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
