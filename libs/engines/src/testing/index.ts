export { startEndpoint } from "./endpoint.ts";
export type { EndpointOptions, Misbehaviour, ReceivedQuestion, TestEndpoint } from "./endpoint.ts";
export { engineDefinition } from "./definition.ts";
