import { collectGarbageWhenIdle } from "@switchyard/threads";
import { parentPort, workerData } from "node:worker_threads";
import { createEmbeddedMongoServer, type EmbeddedMongoOptions } from "./server.ts";

// Sends its address to the thread that started it, and ends after the first message from that thread. An error during the start also ends
// it.
collectGarbageWhenIdle();
const server = await createEmbeddedMongoServer(workerData as EmbeddedMongoOptions);
parentPort?.once("message", () => void server.close());
parentPort?.postMessage({ uri: server.uri, port: server.port });
