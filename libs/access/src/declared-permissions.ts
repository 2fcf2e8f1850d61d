import type { DescService } from "@bufbuild/protobuf";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { declaredPermission } from "./permissions.ts";

/** Throws an error that names every method of the services that declares no permission. For the start of a server. */
export function assertPermissionsDeclared(services: readonly DescService[]): void {
  const undeclared = services
    .flatMap((service) => service.methods)
    .filter((method) => declaredPermission(method) === Permission.UNSPECIFIED)
    .map((method) => `${method.parent.typeName}/${method.name}`);
  if (undeclared.length > 0) throw new Error(`Methods without a declared permission: ${undeclared.join(", ")}`);
}
