import { startTestDatabase } from "@switchyard/storage/testing";
import { administrationSuite } from "./administration.suite.ts";

describe("the administration of an organization", () => {
  administrationSuite(startTestDatabase);
});
