export { createPool } from "./pool.ts";
export type { Pool, PoolOptions } from "./pool.ts";
export type { Outcome, WorkerSlotOptions } from "./worker-slot.ts";
