import { startTestDatabase } from "@switchyard/storage/testing";
import { removalSuite } from "./removal.suite.ts";

describe("the removal of deleted models", () => {
  removalSuite(startTestDatabase);
});
