import type { DescService } from "@bufbuild/protobuf";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { ClassifierService } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ConfigurationService } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ExtractionService } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { Health } from "@switchyard/contracts/grpc/health/v1/health";
import { Code } from "@connectrpc/connect";
import { getProblemFacts } from "@switchyard/rpc";
import { assertPermissionsDeclared } from "./declared-permissions.ts";
import { requirePermission } from "./identity/identity-verifier.ts";
import {
  declaredPermission,
  grantablePermissions,
  hasPermission,
  permissionName,
  toPermission,
} from "./permissions.ts";
import { testCaller } from "./testing/callers.ts";

const services: DescService[] = [
  IdentityService,
  IdentityLookupService,
  ConfigurationService,
  TargetService,
  ClassifierService,
  ExtractionService,
];
const methods = services.flatMap((service) => service.methods);

/** The permission names of the API, independent of the code under test. */
const names = [
  ...["documents:read", "documents:write", "classify", "models:read", "models:edit", "benchmarks:read"],
  ...["benchmarks:run", "tokens:admin", "organization:models:edit", "organization:admin"],
];

function getOutcome(work: () => void): string {
  try {
    work();
    return "allowed";
  } catch (error) {
    const { code, metadata } = getProblemFacts(error);
    return [Code[code], metadata["permission"]].filter((part) => part !== undefined).join(" ");
  }
}

describe("permissions", () => {
  it("are converted to and from the names of the API", () => {
    expect(grantablePermissions.map(permissionName)).toEqual(names);
    expect(names.map(toPermission)).toEqual(grantablePermissions);
    expect(["none", "service", "unspecified", "", "DOCUMENTS_READ", "documents"].map(toPermission)).toEqual(
      Array.from({ length: 6 }),
    );
  });

  it("do not include others, except that organization:models:edit includes models:edit", () => {
    for (const held of grantablePermissions) {
      for (const wanted of grantablePermissions) {
        const included = held === Permission.ORGANIZATION_MODELS_EDIT && wanted === Permission.MODELS_EDIT;
        expect(hasPermission(testCaller({ permissions: [held] }), wanted)).toBe(held === wanted || included);
      }
    }
  });

  it("that tokens cannot have are never granted, and AUTHENTICATED always is", () => {
    const everything = testCaller({
      permissions: [...grantablePermissions, Permission.SERVICE, Permission.UNSPECIFIED],
    });
    expect(hasPermission(everything, Permission.SERVICE)).toBe(false);
    expect(hasPermission(everything, Permission.UNSPECIFIED)).toBe(false);
    expect(hasPermission(testCaller(), Permission.AUTHENTICATED)).toBe(true);
  });
});

describe("every method of the contracts", () => {
  it("declares a permission, which is required at startup", () => {
    expect(() => assertPermissionsDeclared(services)).not.toThrow();
    expect(() => assertPermissionsDeclared([IdentityService, Health])).toThrow("grpc.health.v1.Health/Check");
  });

  it.each(methods.map((method) => [`${method.parent.name}/${method.name}`, method] as const))(
    "requires the declared permission: %s",
    (_name, method) => {
      const declared = declaredPermission(method);
      const call = (service: string, permissions: Permission[] | undefined) =>
        getOutcome(() =>
          requirePermission(
            {
              service,
              caller: permissions && testCaller({ permissions, scope: TokenScope.PROJECT }),
            },
            declared,
          ),
        );
      if (declared === Permission.SERVICE) {
        expect(call("gateway", [...grantablePermissions])).toBe("PermissionDenied");
        expect([call("gateway", undefined), call("classifier", undefined), call("classifier", [])]).toEqual([
          "allowed",
          "allowed",
          "allowed",
        ]);
        return;
      }
      expect([call("gateway", undefined), call("classifier", undefined)]).toEqual([
        "Unauthenticated",
        "Unauthenticated",
      ]);
      const denied = declared === Permission.AUTHENTICATED ? "allowed" : `PermissionDenied ${permissionName(declared)}`;
      expect(call("gateway", [])).toBe(denied);
      expect(call("classifier", [])).toBe(denied);
      for (const held of grantablePermissions) {
        const enough =
          held === declared || (held === Permission.ORGANIZATION_MODELS_EDIT && declared === Permission.MODELS_EDIT);
        expect([permissionName(held), call("gateway", [held])]).toEqual([
          permissionName(held),
          enough ? "allowed" : denied,
        ]);
      }
    },
  );
});
