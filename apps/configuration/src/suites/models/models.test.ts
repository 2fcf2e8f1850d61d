import { startTestDatabase } from "@switchyard/storage/testing";
import { modelsSuite } from "./models.suite.ts";

describe("models and deployments", () => {
  modelsSuite(startTestDatabase);
});
