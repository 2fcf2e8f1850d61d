import { startTestDatabase, testDatabaseName } from "@switchyard/storage/testing";
import { auditOutboxSuite } from "./audit-outbox.suite.ts";

describe(`the outbox of audit entries on the ${testDatabaseName}`, () => {
  auditOutboxSuite(startTestDatabase);
});
