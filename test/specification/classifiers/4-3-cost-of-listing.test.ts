import { costOfListingSuite } from "./4-3-cost-of-listing.suite.ts";

describe("4.3 listing 2,000 classifiers with 10 routes each, in one process", () => costOfListingSuite("one process"));
