export * from "./database.ts";
export * from "./eventually.ts";
