// The embedded store in its own thread, which reports the duration of its time slices.
import { createEmbeddedMongoServer } from "@switchyard/embedded-mongo";
import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** The longest time slice since the previous request. */
export interface LongestTimeSlice {
  /** The elapsed time in milliseconds. */
  readonly wallMs: number;
  /** The processor time of the thread, in milliseconds. */
  readonly busyMs: number;
}

/** An embedded store whose time slices are measured. */
export interface WatchedStore {
  readonly uri: string;
  getLongestTimeSlice(): Promise<LongestTimeSlice>;
  close(): Promise<void>;
}

/** Starts an embedded store on a folder. */
export async function startWatchedStore(folder: string): Promise<WatchedStore> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { folder }, execArgv: [] });
  const ask = async (question: string): Promise<unknown> => {
    worker.postMessage(question);
    return (await once(worker, "message"))[0];
  };
  const [uri] = (await once(worker, "message")) as [string];
  return {
    uri,
    getLongestTimeSlice: async () => (await ask("longest time slice")) as LongestTimeSlice,
    async close() {
      await ask("close");
      await worker.terminate();
    },
  };
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const server = await createEmbeddedMongoServer({ folder: (workerData as { folder: string }).folder });
  const { timeSlices } = server;
  let longest: LongestTimeSlice = { wallMs: 0, busyMs: 0 };
  const run = timeSlices.run.bind(timeSlices);
  timeSlices.run = (work) => {
    const [began, before] = [performance.now(), process.threadCpuUsage()];
    try {
      return run(work);
    } finally {
      const { user, system } = process.threadCpuUsage(before);
      longest = {
        wallMs: Math.max(longest.wallMs, performance.now() - began),
        busyMs: Math.max(longest.busyMs, (user + system) / 1_000),
      };
    }
  };
  port.on("message", (question: string) => {
    if (question === "close") void server.close().then(() => port.postMessage("closed"));
    else {
      port.postMessage(longest);
      longest = { wallMs: 0, busyMs: 0 };
    }
  });
  port.postMessage(server.uri);
}
