import { startTestDatabase } from "@switchyard/storage/testing";
import { targetSuite } from "./target.suite.ts";

describe("targets", () => {
  targetSuite(startTestDatabase);
});
