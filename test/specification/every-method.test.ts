import { foreignIdSuite } from "./access/5-foreign-ids.suite.ts";
import { idempotencyGuardSuite } from "./conventions/8-idempotency-guard.suite.ts";
import { readOnlyFieldSuite } from "./conventions/8-read-only-fields.suite.ts";
import { ruleSuite } from "./conventions/8-rules-of-requests.suite.ts";
import { auditGuardSuite } from "./identity/7-audit-guard.suite.ts";
import { givenSystem } from "./testing/office.ts";

/** The suites that test every method of the contracts, on one system with organizations for each. */
describe("every method", () => {
  const given = givenSystem("one process");
  // The first two compare everything that is stored, so they come before suites that leave work in the background.
  describe("read-only fields", () => readOnlyFieldSuite(given));
  describe("IDs of another organization", () => foreignIdSuite(given));
  describe("the audit trail", () => auditGuardSuite(given));
  describe("every POST", () => idempotencyGuardSuite(given));
  describe("the rules of the contracts for requests", () => ruleSuite(given));
});
