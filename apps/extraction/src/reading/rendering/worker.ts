import { parentPort } from "node:worker_threads";
import { createGarbageLimit } from "@switchyard/threads";
import { renderPage } from "./rendering.ts";
import type { RenderingJob } from "./rendering.ts";

async function run(job: RenderingJob): Promise<void> {
  const result = await renderPage(job);
  parentPort?.postMessage({ result }, result.kind === "png" ? [result.png.buffer as ArrayBuffer] : []);
}

/** What the thread may hold before a page is drawn, in MiB. */
const mayHoldMb = 96;

const limitGarbage = createGarbageLimit(mayHoldMb);
// A rejection is an internal error. It ends the thread, which the pool notices.
parentPort?.on("message", (job: RenderingJob) => {
  limitGarbage();
  void run(job);
});
parentPort?.postMessage({ ready: true });
