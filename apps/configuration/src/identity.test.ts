import { startTestDatabase } from "../../../libs/storage/src/testing/database.ts";
import { identitySuite } from "./identity.suite.ts";

describe("identity", () => {
  identitySuite(startTestDatabase);
});
