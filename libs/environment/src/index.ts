export { createFolder, makeDataFolder } from "./data-folder.ts";
export { readEnvironment } from "./environment.ts";
export { serviceVariables, toServiceConfig } from "./service-config.ts";
export type { ServiceConfig } from "./service-config.ts";
export { closeOnTermination } from "./termination.ts";
export { address, dataFolder, decimal, logLevel, mongodbUri, port, rootSecret } from "./variables.ts";
export type { Address } from "./variables.ts";
