export * from "./connection.ts";
export * from "./duplicate-key.ts";
export * from "./ids.ts";
export * from "./lease.ts";
export * from "./local-mongod.ts";
export * from "./page-tokens.ts";
export * from "./sweep.ts";
export * from "./transactions.ts";
