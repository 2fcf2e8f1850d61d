import { parentPort, workerData } from "node:worker_threads";
import { createEmbeddedMongoServer, type EmbeddedMongoOptions } from "./server.ts";

// Tells the thread that started it where it serves, and ends after that one's first message. An error at start ends it too.
const server = await createEmbeddedMongoServer(workerData as EmbeddedMongoOptions);
parentPort?.once("message", () => void server.close());
parentPort?.postMessage({ uri: server.uri, port: server.port });
