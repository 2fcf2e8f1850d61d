export { collectGarbageWhenIdle, createGarbageLimit } from "./garbage.ts";
export { createPool } from "./pool.ts";
export { lowerPriority } from "./priority.ts";
export type { Outcome } from "./worker-slot.ts";
