import { startTestDatabase } from "../../../libs/storage/src/testing/database.ts";
import { configurationSuite } from "./configuration.suite.ts";

describe("configuration", () => {
  configurationSuite(startTestDatabase);
});
