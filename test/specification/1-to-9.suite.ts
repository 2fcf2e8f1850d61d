import type { SystemShape } from "../system.ts";
import { deletedProjectSuite } from "./models/1-deleted-project.suite.ts";
import { modelConfigurationSuite } from "./models/2-5-model-configuration.suite.ts";
import { removedEndpointSuite } from "./models/4-7-project-schema-removed.suite.ts";
import { modelSuite } from "./models/4-8-models.suite.ts";
import { configurationSuite } from "./models/4-9-configuration.suite.ts";
import { authenticationSuite } from "./access/5-authentication.suite.ts";
import { auditChangesSuite } from "./identity/7-audit-changes.suite.ts";
import { auditSuite } from "./identity/7-audit.suite.ts";
import { teamAndProjectSuite } from "./identity/7-teams-and-projects.suite.ts";
import { tokenRotationSuite } from "./identity/7-token-rotation.suite.ts";
import { tokenSuite } from "./identity/7-tokens.suite.ts";
import { openStreamSuite } from "./identity/7-open-streams.suite.ts";
import { conditionalRequestSuite } from "./conventions/8-conditional-requests.suite.ts";
import { quotaSuite } from "./conventions/8-quotas.suite.ts";
import { idempotencySuite } from "./conventions/8-idempotency.suite.ts";
import { versioningRpcSuite } from "./models/9-versioning-rpc.suite.ts";
import { versioningSuite } from "./models/9-versioning.suite.ts";
import { goldenClassifierSuite } from "./golden/golden-classifiers.suite.ts";
import { goldenModelSuite } from "./golden/golden-models.suite.ts";
import { givenSystem, isComplete } from "./testing/office.ts";

/** The suites about projects, models, identity and conventions, on one system with an organization for each. */
export function projectsAndModels(shape: SystemShape): void {
  const given = givenSystem(shape);
  describe("1 a deleted project", () => deletedProjectSuite(given));
  describe("2.5 the configuration of a model", () => modelConfigurationSuite(given));
  describe("4.7 the removed schema of a project", () => removedEndpointSuite(given));
  describe("4.8 the models of a project", () => modelSuite(given));
  describe("4.9 the configuration of a model", () => configurationSuite(given));
  describe("5 every endpoint", () => authenticationSuite(given));
  describe("7 tokens", () => tokenSuite(given));
  describe("7 the rotation of tokens", () => tokenRotationSuite(given));
  describe("7 teams, users and projects", () => teamAndProjectSuite(given));
  describe("7 the audit trail", () => auditSuite(given));
  describe("7 the audit trail of changes in other services", () => auditChangesSuite(given));
  describe("7 open streams", () => openStreamSuite(given));
  describe("8 Idempotency-Key", () => idempotencySuite(given));
  describe("8 conditional requests", () => conditionalRequestSuite(given));
  describe("9 versioning", () => versioningSuite(given));
  describe.each(["Connect", "gRPC-Web", "gRPC"] as const)("9 versioning, over %s", (protocol) =>
    versioningRpcSuite(given, protocol),
  );
  if (!isComplete(shape)) return;
  describe("8 quotas of an organization", () => quotaSuite(given));
  describe("the exact bytes about classifiers", () => goldenClassifierSuite(given));
  describe("the exact bytes about models and benchmarks", () => goldenModelSuite(given));
}
