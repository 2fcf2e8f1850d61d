export { startEndpoint } from "./endpoint.ts";
export type { EndpointOptions, Misbehavior, TestEndpoint } from "./endpoint.ts";
export type { ReceivedQuestion } from "./question.ts";
export { engineDefinition } from "./definition.ts";
export { createRandom, inventAnswer } from "./invention.ts";
