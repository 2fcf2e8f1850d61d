export * from "./change-source.ts";
export * from "./database.ts";
export * from "./eventually.ts";
