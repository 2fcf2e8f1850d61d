import { Worker } from "node:worker_threads";
import type { EmbeddedMongo, EmbeddedMongoOptions } from "./server.ts";
import type { WorkerMessage } from "./worker.ts";

export { createEmbeddedMongoServer, type EmbeddedMongo, type EmbeddedMongoOptions } from "./server.ts";

/**
 * Serves a data folder from a worker thread, so that the caller's event loop is never blocked by it, and ends with the
 * process whatever ends that. Fails when another server has the folder (the message names it), or the port is taken.
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  // Only types are stripped from worker.ts, whatever loader the caller's own modules went through.
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: { ...options }, execArgv: [] });
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const started = await new Promise<WorkerMessage>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    void exited.then(() => reject(new Error("the embedded server ended before it served")));
  });
  if (started.kind !== "listening") {
    await exited;
    throw new Error(started.kind === "failed" ? started.message : "the embedded server closed before it served");
  }
  return {
    uri: started.uri,
    port: started.port,
    async close() {
      worker.postMessage("close");
      await exited;
    },
  };
}
