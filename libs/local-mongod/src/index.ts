export * from "./local-mongod.ts";
