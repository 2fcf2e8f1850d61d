import { startTestDatabase, testDatabaseName } from "@switchyard/storage/testing";
import { auditOutboxSuite } from "./audit-outbox.suite.ts";

describe(`the audit outbox on the ${testDatabaseName}`, () => {
  auditOutboxSuite(startTestDatabase);
});
