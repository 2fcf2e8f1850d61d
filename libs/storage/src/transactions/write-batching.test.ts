import { writeBatchingSuite } from "./write-batching.suite.ts";
import { startTestDatabase } from "../testing/database.ts";

describe("batched changes", () => {
  writeBatchingSuite(startTestDatabase);
});
