export * from "./bootstrap.ts";
export * from "./service.ts";
