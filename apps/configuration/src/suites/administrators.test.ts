import { startTestDatabase } from "@switchyard/storage/testing";
import { administratorsSuite } from "./administrators.suite.ts";

describe("administrators of an organization", () => {
  administratorsSuite(startTestDatabase);
});
