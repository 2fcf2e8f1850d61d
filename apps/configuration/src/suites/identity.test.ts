import { startTestDatabase } from "@switchyard/storage/testing";
import { identitySuite } from "./identity.suite.ts";

describe("identity", () => {
  identitySuite(startTestDatabase);
});
