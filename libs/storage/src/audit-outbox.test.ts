import { auditOutboxSuite } from "./audit-outbox.suite.ts";
import { startTestDatabase, testDatabaseName } from "./testing/database.ts";

describe(`the outbox of audit entries on the ${testDatabaseName}`, () => {
  auditOutboxSuite(startTestDatabase);
});
