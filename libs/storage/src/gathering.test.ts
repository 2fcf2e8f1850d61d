import { gatheringSuite } from "./gathering.suite.ts";
import { startTestDatabase } from "./testing/database.ts";

describe("gathered changes", () => {
  gatheringSuite(startTestDatabase);
});
