import { storageSuite } from "./storage.suite.ts";
import { startTestDatabase } from "./testing/database.ts";

describe("storage", () => {
  storageSuite(startTestDatabase);
});
