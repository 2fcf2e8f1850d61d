import { startTestDatabase } from "../testing/database.ts";
import { usageSuite } from "./usage.suite.ts";

describe("counts of organizations", () => {
  usageSuite(startTestDatabase);
});
