import { startTestDatabase } from "./testing/database.ts";
import { targetSuite } from "./target.suite.ts";

describe("targets", () => {
  targetSuite(() => startTestDatabase(process.env["MONGOD_BINARY"]));
});
