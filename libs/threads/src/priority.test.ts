import { once } from "node:events";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";

/** Posts the priorities of its thread before and after lowering it. */
const script = `
  import { readlinkSync } from "node:fs";
  import { getPriority } from "node:os";
  import { parentPort } from "node:worker_threads";
  import { lowerPriority } from "${new URL("./priority.ts", import.meta.url).href}";
  const getOwn = () => getPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)));
  const before = getOwn();
  lowerPriority();
  parentPort.postMessage([before, getOwn()]);
`;

describe.runIf(process.platform === "linux")("the priority of a thread", () => {
  it("is lowered for that thread alone", async () => {
    const ofProcess = getPriority(process.pid);
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
    const [[before, after]] = (await once(worker, "message")) as [[number, number]];
    expect(before).toBe(ofProcess);
    expect(after).toBe(Math.min(19, before + 5));
    expect(getPriority(process.pid)).toBe(ofProcess);
  });
});
