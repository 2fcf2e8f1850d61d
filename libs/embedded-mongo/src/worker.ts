import { parentPort, workerData } from "node:worker_threads";
import { createEmbeddedMongoServer, type EmbeddedMongoOptions } from "./server.ts";

/** What the worker tells the thread that started it. */
export type WorkerMessage =
  | { readonly kind: "listening"; readonly uri: string; readonly port: number }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "closed" };

const post = (message: WorkerMessage): void => parentPort?.postMessage(message);

try {
  const server = await createEmbeddedMongoServer(workerData as EmbeddedMongoOptions);
  parentPort?.once("message", () => {
    void server.close().then(() => {
      post({ kind: "closed" });
      parentPort?.close();
    });
  });
  post({ kind: "listening", uri: server.uri, port: server.port });
} catch (error) {
  post({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  parentPort?.close();
}
