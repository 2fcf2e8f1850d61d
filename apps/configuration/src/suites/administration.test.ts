import { startTestDatabase } from "@switchyard/storage/testing";
import { administrationSuite } from "./administration.suite.ts";

describe("administration", () => {
  administrationSuite(startTestDatabase);
});
