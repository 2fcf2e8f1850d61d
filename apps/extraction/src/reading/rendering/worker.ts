import { parentPort } from "node:worker_threads";
import { renderPage } from "./rendering.ts";
import type { RenderingJob } from "./rendering.ts";

async function run(job: RenderingJob): Promise<void> {
  const result = await renderPage(job);
  parentPort?.postMessage({ result }, result.kind === "png" ? [result.png.buffer as ArrayBuffer] : []);
}

// A rejection is an internal error. It ends the thread, which the pool notices.
parentPort?.on("message", (job: RenderingJob) => void run(job));
parentPort?.postMessage({ ready: true });
