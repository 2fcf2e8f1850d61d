export { collectGarbageWhenIdle, createGarbageLimit } from "./garbage.ts";
export { createPool } from "./pool.ts";
export { lowerPriority } from "./priority.ts";
export type { Pool, PoolOptions } from "./pool.ts";
export type { Outcome, WorkerSlotOptions } from "./worker-slot.ts";
