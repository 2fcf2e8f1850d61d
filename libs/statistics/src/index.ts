export { computeWilsonInterval } from "./wilson.ts";
export type { Interval } from "./wilson.ts";
