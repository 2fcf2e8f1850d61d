import { startTestDatabase } from "../testing/database.ts";
import { idempotencySuite } from "./idempotency.suite.ts";

describe("idempotency keys", () => {
  idempotencySuite(startTestDatabase);
});
