export { computeBettingPValue } from "./betting.ts";
export { computeBinomialTail } from "./binomial.ts";
export { testInOrder } from "./fallback.ts";
export { addUsage } from "./usage.ts";
export type { Usage } from "./usage.ts";
export { computeWilsonInterval } from "./wilson.ts";
export type { Interval } from "./wilson.ts";
