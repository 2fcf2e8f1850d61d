// A thread that checks the health of a server continuously, and reports the duration of the slowest check.
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const url = workerData as string;
const agent = new Agent({ keepAlive: true });
let slowest = 0;
let asking = Promise.resolve();
let stopped = false;

async function ask(): Promise<void> {
  const begun = performance.now();
  await new Promise<void>((resolve, reject) => {
    request(`${url}/healthz`, { agent }, (response) => response.resume().once("end", resolve))
      .once("error", reject)
      .end();
  });
  slowest = Math.max(slowest, performance.now() - begun);
}

async function probe(): Promise<void> {
  while (!stopped) {
    asking = ask();
    await asking;
    await sleep(2);
  }
}

// Any message requests the slowest check since the previous message. "stop" ends the thread.
parentPort?.on("message", (message: string) => {
  stopped = message === "stop";
  void asking.then(() => {
    parentPort?.postMessage(slowest);
    slowest = 0;
    if (stopped) parentPort?.close();
    if (stopped) agent.destroy();
  });
});
void probe();
