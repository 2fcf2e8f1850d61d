export { createPool } from "./pool.ts";
export type { Pool, PoolOptions } from "./pool.ts";
export type { Outcome, SeatOptions } from "./seat.ts";
