import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startTestSystem } from "../system.ts";
import type { SystemShape, TestSystem } from "../system.ts";
import { runProgram } from "../processes.ts";
import type { RunningProgram } from "../processes.ts";

/** 2 seconds are documented, but tests share the machine. */
const timeoutMs = 60_000;

describe.each<SystemShape>(["one process", "separate processes"])("/readyz of %s", (shape) => {
  let folder: string;
  let store: RunningProgram;
  let port: string;
  let system: TestSystem | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-ready-"));
    store = await startStore("0");
    const [uri = ""] = /mongodb:\S+/.exec(store.output()) ?? [];
    ({ port } = new URL(uri));
    const between = async () => ({ uri, close: () => Promise.resolve() });
    system = await startTestSystem(shape, { between });
  });
  afterAll(async () => {
    // Without its store, a system would wait for it for half a minute.
    if (store.child.exitCode !== null || store.child.signalCode !== null) store = await startStore(port);
    store.child.kill("SIGCONT");
    await system?.close();
    await store.end("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  async function startStore(onPort: string): Promise<RunningProgram> {
    const environment = { SWITCHYARD_DATA: folder, EMBEDDED_MONGO_PORT: onPort };
    const started = runProgram("libs/embedded-mongo/src/main.ts", [], environment);
    await started.printed(/mongodb:\S+/);
    return started;
  }
  async function checkReadiness() {
    const response = await fetch(`${system?.url}/readyz`, { signal: AbortSignal.timeout(timeoutMs) });
    const { code } = (await response.json()) as { code?: string };
    return { status: response.status, code, retryAfter: response.headers.get("retry-after") };
  }
  // A process that reports slowly what is missing is not ready either.
  const unavailable = {
    status: 503,
    code: shape === "one process" ? "STORAGE_UNAVAILABLE" : expect.stringMatching(/^(STORAGE_UNAVAILABLE|NOT_READY)$/),
    retryAfter: "1",
  };
  async function becomesReady(): Promise<void> {
    for (const deadline = Date.now() + 60_000; (await checkReadiness()).status !== 200;) {
      if (Date.now() > deadline) throw new Error("not ready after a minute");
      await sleep(200);
    }
  }

  it("follows a store that hangs, recovers and ends", async () => {
    await becomesReady();
    store.child.kill("SIGSTOP");
    expect(await checkReadiness()).toEqual(unavailable);
    store.child.kill("SIGCONT");
    await becomesReady();
    await store.end("SIGKILL");
    expect(await checkReadiness()).toEqual(unavailable);
  });
});
