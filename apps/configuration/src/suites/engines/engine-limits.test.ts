import { startTestDatabase } from "@switchyard/storage/testing";
import { engineLimitSuite } from "./engine-limits.suite.ts";

describe("the limits of language models", () => {
  engineLimitSuite(startTestDatabase);
});
