export * from "./change-source.ts";
