import { startTestDatabase } from "./testing/database.ts";
import { identitySuite } from "./identity.suite.ts";

describe("identity", () => {
  identitySuite(() => startTestDatabase(process.env["MONGOD_BINARY"]));
});
