import { getOption } from "@bufbuild/protobuf";
import type { DescMethod } from "@bufbuild/protobuf";
import { Permission, permission, PermissionSchema } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";

const notGrantable: readonly Permission[] = [Permission.UNSPECIFIED, Permission.AUTHENTICATED, Permission.SERVICE];

/** All permissions that a token can have, in the order of the contract. */
export const grantablePermissions: readonly Permission[] = PermissionSchema.values
  .map((value) => value.number as Permission)
  .filter((value) => !notGrantable.includes(value));

/** The permissions that a project token cannot have. */
export const organizationPermissions: readonly Permission[] = [
  Permission.ORGANIZATION_MODELS_EDIT,
  Permission.ORGANIZATION_ADMIN,
];

/** Returns the name of a permission in the API, for example "documents:read", or "" for an unknown number. */
export function permissionName(value: Permission): string {
  const name = PermissionSchema.value[value]?.name ?? "";
  return name
    .replace(/^PERMISSION_/, "")
    .toLowerCase()
    .replaceAll("_", ":");
}

/** Returns the permission of a name in the API. Undefined for a name that no token can have. */
export function toPermission(name: string): Permission | undefined {
  return grantablePermissions.find((value) => permissionName(value) === name);
}

/** Returns the permission that a method declares, or UNSPECIFIED. */
export function declaredPermission(method: DescMethod): Permission {
  return getOption(method, permission);
}

/**
 * Whether the caller's token has a permission. The organization-level permission to edit models includes MODELS_EDIT; no other permission
 * includes another. Every caller has AUTHENTICATED, and none has SERVICE.
 */
export function hasPermission(caller: Caller, wanted: Permission): boolean {
  if (wanted === Permission.AUTHENTICATED) return true;
  if (!grantablePermissions.includes(wanted)) return false;
  if (caller.permissions.includes(wanted)) return true;
  return wanted === Permission.MODELS_EDIT && caller.permissions.includes(Permission.ORGANIZATION_MODELS_EDIT);
}
