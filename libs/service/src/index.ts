export * from "./compose-service.ts";
export * from "./serve-service.ts";
