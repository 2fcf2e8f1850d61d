export { openDatabase } from "./database.ts";
export type { Database } from "./database.ts";
export { startSystem } from "./system.ts";
export type { System, SystemOptions } from "./system.ts";
