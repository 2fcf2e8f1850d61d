import { startTestDatabase } from "@switchyard/storage/testing";
import { lifecycleSuite } from "./lifecycle.suite.ts";

describe("lifecycle of models and deployments", () => {
  lifecycleSuite(startTestDatabase);
});
