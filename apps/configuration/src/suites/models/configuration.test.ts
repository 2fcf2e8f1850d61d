import { startTestDatabase } from "@switchyard/storage/testing";
import { configurationSuite } from "./configuration.suite.ts";

describe("configuration", () => {
  configurationSuite(startTestDatabase);
});
