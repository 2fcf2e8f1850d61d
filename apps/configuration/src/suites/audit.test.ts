import { startTestDatabase } from "@switchyard/storage/testing";
import { auditSuite } from "./audit.suite.ts";

describe("the audit trail", () => {
  auditSuite(startTestDatabase);
});
