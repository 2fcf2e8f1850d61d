import { startTestDatabase } from "./testing/database.ts";
import { configurationSuite } from "./configuration.suite.ts";

describe("configuration", () => {
  configurationSuite(() => startTestDatabase(process.env["MONGOD_BINARY"]));
});
