import { startTestDatabase } from "@switchyard/storage/testing";
import { rateLimitSuite } from "./rate-limit.suite.ts";

describe("leases of requests", () => {
  rateLimitSuite(startTestDatabase);
});
