import type { TestSystem } from "../system.ts";

/** The only state that test files share, besides the modules. */
let started: Promise<TestSystem> | undefined;

/** Returns the system that the files of this worker share, each with an organization of its own. Starts it if it is not running. */
export async function getSharedSystem(): Promise<TestSystem> {
  // Loaded only now, because files that use no system import this one, too.
  started ??= import("../system.ts").then(({ startTestSystem }) => startTestSystem("one process"));
  try {
    return await started;
  } catch (error) {
    started = undefined;
    throw error;
  }
}

/** Closes the shared system if it is running, for a test that observes its whole process, such as its timers or commands to databases. */
export async function closeSharedSystem(): Promise<void> {
  const system = await started;
  started = undefined;
  await system?.close();
}
