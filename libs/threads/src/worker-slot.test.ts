import { createWorkerSlot } from "./worker-slot.ts";

const script = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", (result) => parentPort.postMessage({ result }));
  parentPort.postMessage({ ready: true });
`;

describe("a worker slot", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["a job that was sent", "text", { kind: "result", result: "text" }],
    ["a job that cannot be sent", () => undefined, undefined],
  ])("keeps no timers after %s", async (_title, job, outcome) => {
    const limits = { timeoutMs: 60_000, memoryMb: 200, startTimeoutMs: 60_000 };
    const url = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
    const slot = createWorkerSlot<unknown, unknown>({ url, workerData: null, ...limits });
    try {
      if (outcome === undefined) await expect(slot.run(job)).rejects.toThrow("could not be cloned");
      else expect(await slot.run(job)).toEqual(outcome);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      await slot.close();
    }
  });
});
