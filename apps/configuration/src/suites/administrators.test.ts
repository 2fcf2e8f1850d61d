import { startTestDatabase } from "@switchyard/storage/testing";
import { administratorsSuite } from "./administrators.suite.ts";

describe("administrator tokens of an organization", () => {
  administratorsSuite(startTestDatabase);
});
