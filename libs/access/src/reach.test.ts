import fc from "fast-check";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { grantablePermissions, hasPermission } from "./permissions.ts";
import {
  canAdministerClassifier,
  canReachProject,
  canReadClassification,
  canReadClassifier,
  canUseClassifier,
  getReadableClassifications,
} from "./reach.ts";
import type { ClassifierReach } from "./reach.ts";
import { testCaller } from "./testing/callers.ts";

const projects = ["prj_1", "prj_2", "prj_3"];
const organizations = ["org_a", "org_b"];

const callers = fc
  .record({
    organizationId: fc.constantFrom(...organizations),
    scope: fc.constantFrom(TokenScope.ORGANIZATION, TokenScope.PROJECT),
    projectIds: fc.subarray(projects),
    permissions: fc.subarray([
      Permission.MODELS_EDIT,
      Permission.ORGANIZATION_MODELS_EDIT,
      Permission.ORGANIZATION_ADMIN,
    ]),
    tokenId: fc.constantFrom("tok_1", "tok_2"),
  })
  .map(({ scope, projectIds, ...fields }) =>
    testCaller({ ...fields, scope, projectIds: scope === TokenScope.PROJECT ? projectIds.slice(0, 1) : projectIds }),
  );

const classifiers: fc.Arbitrary<ClassifierReach> = fc.record({
  organizationId: fc.constantFrom(...organizations),
  projectId: fc.option(fc.constantFrom(...projects), { nil: null }),
  routeProjectIds: fc.subarray(projects),
});

/** The rules of the specification (section 5), implemented independently of the code under test. */
function usableByTable(caller: Caller, classifier: ClassifierReach): boolean {
  const reached = new Set(caller.projectIds);
  const gates = classifier.projectId === null ? classifier.routeProjectIds : [classifier.projectId];
  const foreign = caller.organizationId !== classifier.organizationId;
  return !foreign && gates.filter((gate) => reached.has(gate)).length > 0;
}

describe("the rules of access", () => {
  it("are those of the specification", () => {
    fc.assert(
      fc.property(callers, classifiers, (caller, classifier) => {
        expect(canUseClassifier(caller, classifier)).toBe(usableByTable(caller, classifier));
        const sameOrganization = caller.organizationId === classifier.organizationId;
        const mayEditGlobal =
          caller.scope === TokenScope.ORGANIZATION && caller.permissions.includes(Permission.ORGANIZATION_MODELS_EDIT);
        const administers =
          sameOrganization &&
          (classifier.projectId === null ? mayEditGlobal : caller.projectIds.includes(classifier.projectId));
        expect(canAdministerClassifier(caller, classifier)).toBe(administers);
        expect(canReadClassifier(caller, classifier)).toBe(administers || usableByTable(caller, classifier));
      }),
      { numRuns: 2000 },
    );
  });

  it("never let a project token administer a global classifier", () => {
    fc.assert(
      fc.property(callers, classifiers, (caller, classifier) => {
        const project = { ...caller, scope: TokenScope.PROJECT };
        expect(canAdministerClassifier(project, { ...classifier, projectId: null })).toBe(false);
      }),
    );
  });

  it("never allow more after a project or a permission was removed", () => {
    fc.assert(
      fc.property(callers, classifiers, fc.nat(2), fc.nat(2), (caller, classifier, project, permission) => {
        const weaker = [
          { ...caller, projectIds: caller.projectIds.toSpliced(project, 1) },
          { ...caller, permissions: caller.permissions.toSpliced(permission, 1) },
          { ...caller, projectIds: [], permissions: caller.permissions.toSpliced(permission, 1) },
        ];
        const record = { tokenId: "tok_1", projectId: classifier.projectId };
        const rights = (who: Caller): boolean[] => [
          ...projects.map((projectId) => canReachProject(who, projectId)),
          canUseClassifier(who, classifier),
          canAdministerClassifier(who, classifier),
          canReadClassifier(who, classifier),
          canReadClassification(who, record, classifier.organizationId),
          ...grantablePermissions.map((wanted) => hasPermission(who, wanted)),
        ];
        const before = rights(caller);
        for (const after of weaker.map(rights)) {
          expect(after.filter((allowed, index) => allowed && before[index] !== true)).toEqual([]);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("allow only administrators to read a global classifier without routes", () => {
    const global = { organizationId: "org_a", projectId: null, routeProjectIds: [] };
    const caller = testCaller({ projectIds: projects, permissions: [Permission.ORGANIZATION_MODELS_EDIT] });
    expect([canUseClassifier(caller, global), canReadClassifier(caller, global)]).toEqual([false, true]);
  });
});

describe("canReadClassification", () => {
  const record = { tokenId: "tok_9", projectId: "prj_1" };
  const editor = { permissions: [Permission.ORGANIZATION_MODELS_EDIT] };
  it.each<[string, Caller, { tokenId: string; projectId: string | null }, boolean]>([
    ["the token that created it", testCaller({ tokenId: "tok_9" }), record, true],
    ["access to its project", testCaller({ projectIds: ["prj_1"] }), record, true],
    ["the organization-level right", testCaller(editor), record, true],
    ["that right if it has no project", testCaller(editor), { ...record, projectId: null }, true],
    ["access to another project", testCaller({ projectIds: ["prj_2"] }), record, false],
    [
      "access to a project if it has none",
      testCaller({ projectIds: ["prj_1"] }),
      { ...record, projectId: null },
      false,
    ],
    ["that right on a project token", testCaller({ ...editor, scope: TokenScope.PROJECT }), record, false],
    [
      "the same token ID in another organization",
      testCaller({ tokenId: "tok_9", organizationId: "org_b" }),
      record,
      false,
    ],
  ])("returns the expected result for %s", (_name, caller, classification, allowed) => {
    expect(canReadClassification(caller, classification, "org_a")).toBe(allowed);
  });

  it("has the same rules as getReadableClassifications", () => {
    const reader = testCaller({ tokenId: "tok_9", projectIds: ["prj_1"] });
    expect(getReadableClassifications(reader)).toEqual({ tokenId: "tok_9", projectIds: ["prj_1"] });
    expect(getReadableClassifications(testCaller(editor))).toBe("all");
    expect(getReadableClassifications(testCaller({ ...editor, scope: TokenScope.PROJECT }))).not.toBe("all");
  });
});
